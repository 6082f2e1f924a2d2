"""One model: a host language model with the machine inside.

from vgpu.model import CompositeEngine, compose
model = compose(AutoModelForCausalLM.from_pretrained("..."))
model.generate(**tokens)                                    # text, as the host alone gives it
vgpu.Machine(CompositeEngine(model)).run(program, inputs)   # programs, in the same layers

Importing this registers the model with transformers' Auto classes.
"""

from transformers import AutoConfig, AutoModelForCausalLM

from vgpu.model.cache_vgpu import VGPUCache
from vgpu.model.compose import check_host, compose
from vgpu.model.configuration_vgpu import VGPUConfig
from vgpu.model.engine import CompositeEngine
from vgpu.model.export import export
from vgpu.model.modeling_vgpu import VGPUForCausalLM, VGPUOutput

AutoConfig.register("vgpu", VGPUConfig, exist_ok=True)
AutoModelForCausalLM.register(VGPUConfig, VGPUForCausalLM, exist_ok=True)

__all__ = [
    "CompositeEngine", "VGPUCache", "VGPUConfig", "VGPUForCausalLM", "VGPUOutput", "check_host",
    "compose", "export",
]  # fmt: skip
