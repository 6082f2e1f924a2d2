"""A host from the Hugging Face hub, or from the copy of it that the hub's own cache holds.

HF_HOME, HF_HUB_CACHE, HF_HUB_OFFLINE, HF_ENDPOINT, HF_TOKEN and the proxies of the environment are
read by huggingface_hub. Files that its cache lacks are fetched here, because its own downloads
start from nothing in a new process, and a host may be one file of many in_words.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from assistant.console import note
from assistant.hosts import checkpoint, transfer
from assistant.hosts.failures import AGAIN, Unavailable, first_line
from assistant.hosts.local import link, write_index
from assistant.hosts.memory import in_words
from assistant.hosts.transfer import RemoteFile
from vgpu.errors import RunError

_SHA256 = re.compile(r"[0-9a-f]{64}")


def from_hub(
    source: Mapping[str, str], draft: Path, work: Path, old: Path, label: str, timeout: float
) -> tuple[str, dict[str, str]]:
    """Fills `draft`. Returns where the host is from, and the hashes that are known already.

    `work` keeps what was fetched by a call that did not come to its end; `old` is the folder of the
    host as it was, whose good files are used again.
    """
    repo, revision = source["repo"], source.get("revision", "main")
    cached = _cached(repo, revision)
    if cached:
        return _take(cached, draft, repo, label)
    try:
        files, commit = _listing(repo, revision, timeout)
    except Unavailable:
        # Out of reach, another commit that is here is better than none.
        cached = _cached(repo, "main")
        if not cached:
            raise
        note(f"{label}: revision {revision[:12]} is out of reach")
        return _take(cached, draft, repo, label)
    work.mkdir(parents=True, exist_ok=True)
    known = _fetch(files, work, old, repo, label)
    for name in known:
        if name != checkpoint.INDEX:
            _place(work / name, draft / name)
    if checkpoint.INDEX in known:
        write_index(work / checkpoint.INDEX, draft)
    hashes = {
        name: files[name].sha256 or ""
        for name in known
        if files[name].sha256 and name != checkpoint.INDEX
    }
    return f"hub {repo}@{commit}", hashes


def _cached(repo: str, revision: str) -> Path | None:
    """The snapshot in the hub's cache, when it holds everything that a host needs."""
    from huggingface_hub import try_to_load_from_cache

    try:
        config = try_to_load_from_cache(repo, "config.json", revision=revision)
    except ValueError as error:
        raise Unavailable(first_line(error)) from None
    if not isinstance(config, str):
        return None
    root = Path(config).parent
    try:
        files = checkpoint.weight_files(root)
        checkpoint.check_tokenizer(repo, (path.name for path in root.iterdir()))
    except RunError:
        return None
    return root if all(file.is_file() for file in files) else None


def _take(root: Path, draft: Path, repo: str, label: str) -> tuple[str, dict[str, str]]:
    """Links a snapshot of the hub's cache, checked against the hashes that name its contents."""
    checkpoint.check_architecture(root / "config.json", label)
    note(f"{label}: using the copy in {root}")
    known = {}
    for file in checkpoint.weight_files(root):
        name = file.resolve().name
        if _SHA256.fullmatch(name):
            remote = RemoteFile(file.name, str(file), file.stat().st_size, sha256=name)
            if not remote.matches(file):
                raise Unavailable(
                    f"{file} in the hub's cache is damaged (its SHA-256 is not its name): delete it"
                )
            known[file.name] = name
        link(file, draft / file.name)
    for name in checkpoint.metadata_names(path.name for path in root.iterdir()):
        shutil.copyfile(root / name, draft / name)
    if (root / checkpoint.INDEX).is_file():
        write_index(root / checkpoint.INDEX, draft)
    return f"hub {repo}@{root.name}", known


def _listing(repo: str, revision: str, timeout: float) -> tuple[dict[str, RemoteFile], str]:
    """Every file of the repository with its hashes, and the commit that the revision names."""
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import HFValidationError, HTTPError

    if constants.HF_HUB_OFFLINE:
        raise Unavailable(f"{repo} is not in the hub's cache, and HF_HUB_OFFLINE is set")
    try:
        info = HfApi().model_info(repo, revision=revision, files_metadata=True, timeout=timeout)
    except (HTTPError, OSError, HFValidationError) as error:
        raise _refused(error, repo, revision) from None
    except (ValueError, KeyError, TypeError):
        raise Unavailable(
            "the answer is not the hub's (does a proxy answer in its place?)"
        ) from None
    commit = info.sha or revision
    files = {}
    for entry in info.siblings or ():
        url = f"{constants.ENDPOINT}/{repo}/resolve/{commit}/{quote(entry.rfilename)}"
        sha = entry.lfs.sha256 if entry.lfs else None
        if entry.size is None:
            raise Unavailable(f"{constants.ENDPOINT} does not tell the size of {entry.rfilename}")
        files[entry.rfilename] = RemoteFile(entry.rfilename, url, entry.size, sha, entry.blob_id)
    if "config.json" not in files:
        raise Unavailable(f"{repo} has no config.json: it is not a model for transformers")
    return files, commit


def _fetch(
    files: Mapping[str, RemoteFile], work: Path, old: Path, repo: str, label: str
) -> list[str]:
    """Fetches what a host needs into `work`; small files first, so mistakes show early."""
    done = []
    for names in _stages(files, work, repo, label):
        for name in names:
            kept = checkpoint.settings_file(old) if name == "config.json" else old / name
            _reuse(files[name], work / name, kept)
        rest = [name for name in names if not (work / name).exists()]
        _check_space(work, sum(files[name].size for name in rest))
        for name in names:
            try:
                transfer.fetch(files[name], work / name)
            except Exception as error:
                if getattr(error, "response", None) is None:
                    raise
                raise _refused(error, repo, name) from None
            done.append(name)
    return done


def _stages(
    files: Mapping[str, RemoteFile], work: Path, repo: str, label: str
) -> Iterator[list[str]]:
    """The settings; then, once those are known to be good, tokenizer, index; then weights."""
    yield ["config.json"]
    checkpoint.check_architecture(work / "config.json", label)
    if checkpoint.INDEX not in files and checkpoint.SINGLE not in files:
        raise checkpoint.without_safetensors(repo, files)
    checkpoint.check_tokenizer(repo, files)
    yield [name for name in checkpoint.metadata_names(files) if name != "config.json"]
    weights = [checkpoint.SINGLE]
    if checkpoint.INDEX in files:
        yield [checkpoint.INDEX]
        index = checkpoint.read_json(work / checkpoint.INDEX)
        weights = checkpoint.shards(checkpoint.text_index(index, f"{repo}: {checkpoint.INDEX}"))
    missing = [name for name in weights if name not in files]
    if missing:
        raise RunError(f"{repo} lacks {missing[0]}, which its index names: choose another revision")
    size = sum(files[name].size for name in weights)
    note(f"fetching {label} from the Hugging Face hub: {repo}, {in_words(size)}")
    yield weights


def _place(fetched: Path, target: Path) -> None:
    """A second name where the disk has them: a call killed now still finds its download."""
    try:
        os.link(fetched, target)
    except OSError:
        os.replace(fetched, target)


def _reuse(file: RemoteFile, target: Path, old: Path) -> None:
    """A good copy in the folder that is being replaced saves a transfer."""
    if not target.exists() and file.matches(old):
        try:
            os.link(old.resolve(), target)
        except OSError:
            shutil.copyfile(old, target)


def _check_space(work: Path, needed: int) -> None:
    parts = sum(path.stat().st_size for path in work.glob("*.part"))
    free = shutil.disk_usage(work).free + parts
    if needed > free:
        raise RunError(
            f"the disk of {work} is too full: {in_words(needed)} are needed and {in_words(free)} "
            f"are free: free some space and {AGAIN}"
        )


def _refused(error: BaseException, repo: str, what: str) -> Unavailable:
    """The hub's refusal, or its silence, in one line with the mend."""
    from huggingface_hub import constants, errors

    log_in = "`hf auth login`, or set HF_TOKEN"
    page = f"{constants.ENDPOINT}/{repo}"
    if isinstance(error, errors.GatedRepoError):
        return Unavailable(f"{repo} is gated: accept its terms at {page}, then log in: {log_in}")
    if isinstance(error, errors.RepositoryNotFoundError):
        return Unavailable(
            f"there is no {repo} on the hub, or it is private: check the name, or log in: {log_in}"
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return Unavailable(f"{repo} has no revision {what}")
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status in (401, 403):
        return Unavailable(
            f"{repo}: the hub refuses ({status}): it is private or gated: log in: {log_in}"
        )
    if status:
        return Unavailable(f"{repo}: the hub answers {status} for {what}")
    return Unavailable(f"the hub does not answer at {constants.ENDPOINT} ({first_line(error)})")
