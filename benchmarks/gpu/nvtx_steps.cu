// SPDX-License-Identifier: Apache-2.0
//
// A CUDA program that knows nothing of stepscope: NVTX ranges around its steps
// and stages, two streams, copies both ways, a set and three kernels a step.
// tools/gpu_check runs it under `stepscope run` and counts what was recorded.
//
// usage: nvtx_steps STEPS
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void Scale(float* values, int count, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= factor;
}

__global__ void Shift(float* values, int count, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += by;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  constexpr int kCount = 1 << 16;
  constexpr int kBlock = 256;
  const int steps = std::atoi(argv[1]);
  std::vector<float> host(kCount, 1.0f);
  float* values = nullptr;
  float* scratch = nullptr;
  cudaStream_t side;
  if (cudaMalloc(&values, kCount * sizeof(float)) != cudaSuccess ||
      cudaMalloc(&scratch, kCount * sizeof(float)) != cudaSuccess ||
      cudaStreamCreate(&side) != cudaSuccess) {
    std::fprintf(stderr, "nvtx_steps: no GPU\n");
    return 1;
  }
  for (int i = 0; i < steps; ++i) {
    nvtxRangePushA("train step");
    nvtxRangePushA("load");
    cudaMemcpy(values, host.data(), kCount * sizeof(float),
               cudaMemcpyHostToDevice);
    cudaMemsetAsync(scratch, 0, kCount * sizeof(float), side);
    nvtxRangePop();
    nvtxRangePushA("compute");
    Scale<<<kCount / kBlock, kBlock>>>(values, kCount, 2.0f);
    Shift<<<kCount / kBlock, kBlock>>>(values, kCount, 1.0f);
    Shift<<<kCount / kBlock, kBlock, 0, side>>>(scratch, kCount, 1.0f);
    nvtxRangePop();
    cudaMemcpy(host.data(), values, kCount * sizeof(float),
               cudaMemcpyDeviceToHost);
    nvtxRangePop();
  }
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
