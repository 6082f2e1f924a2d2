// Everything is in vgpu_device.h, which is included before every kernel.
#include "vgpu_device.h"
