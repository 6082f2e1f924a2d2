// run: --set scale=5 --out o=1
// error: missing parameter "p"
struct Pair { int a, b; };
__global__ void k(Pair p, int scale, int *o) { *o = (p.a - p.b) * scale; }
