// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { clipName, headAndTail, listName, shortName } from "./names.ts";

test.each([
  ["aten::add_", "aten::add_"],
  ["cudaLaunchKernel", "cudaLaunchKernel"],
  ["ProfilerStep#9", "ProfilerStep#9"],
  ["nn/modules/module.py(1501): _call_impl",
    "nn/modules/module.py(1501): _call_impl"],
  ["Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pageable -> Device)"],
  ["void cudnn::batchnorm_bwtr_nhwc_semiPersist<__half, float, 512>(float*)",
    "batchnorm_bwtr_nhwc_semiPersist"],
  ["sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64",
    "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64"],
  ["void at::native::vectorized_elementwise_kernel<4, " +
    "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)",
    "elementwise · CUDAFunctor_add"],
  ["void at::native::(anonymous namespace)::reduce_kernel<512, 1, " +
    "at::native::ReduceOp<float, at::native::MeanOps<float> > >(int)",
    "reduce · MeanOps"],
  ["void (anonymous namespace)::softmax_warp_forward<float>(float*)",
    "softmax_warp_forward"],
  ["autograd::engine::evaluate_function: AddBackward0", "AddBackward0"],
  ["kernel<", "kernel"],
  ["<lambda>", "<lambda>"],
  ["", ""],
])("%s", (full, short) => expect(shortName(full)).toBe(short));

test("the end of a long name is kept apart", () => {
  expect(headAndTail("aten::add_")).toEqual(["aten::add_", ""]);
  expect(headAndTail("aten::cudnn_convolution_backward_input"))
    .toEqual(["aten::cudnn_convolution_back", "ward_input"]);
  const smiles = "\u{1f600}".repeat(25);
  expect(headAndTail(smiles).join("")).toBe(smiles);
  expect(headAndTail(smiles)[1]).toBe("\u{1f600}".repeat(10));
});

test("two rows of a list have two names", () => {
  const engine = "autograd::engine::evaluate_function: ReluBackward0";
  expect(shortName(engine)).toBe("ReluBackward0");
  expect(listName(engine)).toBe("evaluate: ReluBackward0");
  expect(listName("void f<int>(int)")).toBe("f");
});

test("a name of thousands of letters is cut, its end stays", () => {
  expect(clipName("short", 20)).toBe("short");
  const cut = clipName("a".repeat(5000) + "_the_end_1", 40);
  expect(cut).toBe("a".repeat(29) + "…_the_end_1");
  // Letters of two code units are not cut in two.
  expect(clipName("😀".repeat(30), 20)).toBe("😀".repeat(9) + "…" +
    "😀".repeat(10));
  expect(clipName("😀".repeat(20), 20)).toBe("😀".repeat(20));
});
