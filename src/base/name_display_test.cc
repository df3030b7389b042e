// SPDX-License-Identifier: Apache-2.0
#include "base/name_display.h"

#include <gtest/gtest.h>

#include "base/visible_text.h"

namespace stepscope {
namespace {

// Of cuDNN in a trace of ResNet-50 on an H200: too long for the C++ runtime.
constexpr const char* kLongKernel =
    "_ZN19cutlass_cudnn_train6KernelINS_4conv6kernel23ImplicitGemmConvolu"
    "tionINS1_11threadblock22ImplicitGemmMultistageINS_4gemm9GemmShapeILi"
    "128ELi128ELi32EEENS4_52Conv2dWgradOutputGradientTileAccessIteratorOp"
    "timizedINS_11MatrixShapeILi128ELi32EEENS_10tfloat32_tENS_9transform2"
    "9PitchLinearWarpRakedThreadMapINS_16PitchLinearShapeILi128ELi32EEELi"
    "128ENSF_ILi8ELi4EEELi4EEENS_12AlignedArrayISC_Li4ELi16EEEEENSD_11thr"
    "eadblock25RegularTileAccessIteratorISB_SC_NS_6layout40ColumnMajorTen"
    "sorOpMultiplicandCongruousILi32ELi32EEELi1ESI_Li16EEELNS_4arch14Cach"
    "eOperation4KindE0ENS4_48Conv2dWgradActivationTileAccessIteratorOptim"
    "izedINSA_ILi32ELi128EEESC_SI_SK_EENSN_ISW_SC_NSO_37RowMajorTensorOpM"
    "ultiplicandCongruousILi32ELi32EEELi0ESI_Li16EEELSU_0ENS6_11threadblo"
    "ck9MmaPolicyINS6_4warp11MmaTensorOpINS7_ILi64ELi64ELi32EEESC_SQ_SC_S"
    "Z_fNSO_8RowMajorENS13_17MmaTensorOpPolicyINSS_3MmaINS7_ILi16ELi8ELi8"
    "EEELi32ESC_S16_SC_NSO_11ColumnMajorEfS16_NSS_13OpMultiplyAddEEENSA_I"
    "Li1ELi1EEEEELi1ELb0EbEENSA_ILi0ELi0EEES1G_Li1EEELi4EbEENS_8epilogue1"
    "1threadblock8EpilogueIS8_S1F_Li1ENS1K_22PredicatedTileIteratorINS1K_"
    "26OutputTileOptimalThreadMapINS1K_15OutputTileShapeILi128ELi8ELi2ELi"
    "1ELi1EEENS1O_ILi1ELi8ELi1ELi1ELi8EEELi128ELi4ELi32EEEfLb0ENSO_9NoPer"
    "muteELb0EEENS1J_4warp24FragmentIteratorTensorOpIS15_S19_fNS_5ArrayIf"
    "Li4ELb1EEES16_EENS1U_20TileIteratorTensorOpIS15_S19_fS16_EENS1K_18Sh"
    "aredLoadIteratorINS1R_18CompactedThreadMapEfLi16EEENS1J_6thread17Lin"
    "earCombinationIfLi4EffLNS24_9ScaleType4KindE0ELNS_15FloatRoundStyleE"
    "2EEENSA_ILi0ELi8EEELi2ELi1EEENS11_30GemmIdentityThreadblockSwizzleIL"
    "i4EEELNS1_8OperatorE2ENS1_17Conv2dProblemSizeELNS1_9GroupModeE0EEEEE"
    "vNT_6ParamsE";

TEST(DemangleTest, LeavesOtherNamesAlone) {
  for (const char* name : {"", "aten::conv2d", "volta_sgemm_32x128_nt", "_Z",
                           "_ZN", "_Zebra", "__Z", "Z4copy", "_Z99999999999f"})
    EXPECT_EQ(Demangle(name), name);
}

TEST(DemangleTest, FunctionsAndTemplates) {
  EXPECT_EQ(Demangle("_Z4copyIfEvPT_"), "void copy<float>(float*)");
  EXPECT_EQ(Demangle("_Z3addPKfS0_Pf"),
            "add(float const*, float const*, float*)");
  EXPECT_EQ(Demangle("_ZN2at6native12_GLOBAL__N_16kernelILi4ELb1EEEvi"),
            "void at::native::(anonymous namespace)::kernel<4, true>(int)");
  EXPECT_EQ(Demangle("_Z1fIJifEEvDpRKT_"),
            "void f<int, float>(int const&, float const&)");
  EXPECT_EQ(Demangle("_Z1fPFvibE"), "f(void (*)(int, bool))");
  EXPECT_EQ(Demangle("_ZNSt6vectorIiSaIiEED2Ev"),
            "std::vector<int, std::allocator<int> >::~vector()");
  EXPECT_EQ(Demangle("_ZTV6Kernel"), "vtable for Kernel");  // by the runtime
}

TEST(DemangleTest, NamesTheRuntimeRefuses) {
  const std::string text = Demangle(kLongKernel);
  EXPECT_EQ(text.size(), 10655u);  // of `c++filt --no-recurse-limit`
  EXPECT_TRUE(text.starts_with(
      "void cutlass_cudnn_train::Kernel<cutlass_cudnn_train::conv::kernel::"
      "ImplicitGemmConvolution<cutlass_cudnn_train::conv::threadblock::"
      "ImplicitGemmMultistage<cutlass_cudnn_train::gemm::GemmShape<"))
      << text;
  EXPECT_TRUE(text.ends_with("::Params)")) << text;
}

// 40 references that each double the one before, 60,000 brackets, and packs in
// packs: a demangler that follows them needs more memory or time than exists.
TEST(DemangleTest, HostileNamesCostLittle) {
  std::string doubling = "_Z1fI1PIiiE";
  for (const char c : std::string("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    doubling += std::string("S_IS") + c + "_S" + c + "_E";
  std::string packs = "_Z1fIJ";
  for (int i = 0; i < 14; ++i) packs += "JE";
  packs += "EEv";
  for (int i = 0; i < 200; ++i) packs += "Dp";
  for (const std::string& name :
       {doubling + "EvT_", "_Z" + std::string(60000, 'N'),
        "_Z1f" + std::string(60000, 'P') + "i",
        "_Z1fI" + std::string(60000, 'J')}) {
    EXPECT_EQ(Demangle(name), name);
  }
  EXPECT_EQ(Demangle(packs + "T_"), "void f<>()");
}

TEST(ShortenMiddleTest, KeepsWhatFits) {
  EXPECT_EQ(ShortenMiddle("aten::conv2d", 12), "aten::conv2d");
  EXPECT_EQ(ShortenMiddle("", 10), "");
}

TEST(ShortenMiddleTest, KeepsBothEnds) {
  EXPECT_EQ(ShortenMiddle("sm80_xmma_fprop_implicit_gemm_tf32f32_execute", 30),
            "sm80_xmma_fpro...32f32_execute");
  EXPECT_EQ(ShortenMiddle("abcdefghijklmnopqrstuvwxyz", 11), "abcd...wxyz");
}

TEST(ShortenMiddleTest, KeepsTheFunctionRatherThanItsNamespaces) {
  const std::string name =
      "at::native::unrolled_elementwise_kernel<at::native::FillFunctor<float>,"
      " std::array<char*, 1ul> >";
  EXPECT_EQ(ShortenMiddle(name, 64),
            "at::native::unrolled_elementwise_kernel<at...array<char*, 1ul> >");
  EXPECT_EQ(ShortenMiddle(name, 48).substr(0, 28),
            "unrolled_elementwise_kernel<");
}

TEST(ShortenMiddleTest, AnyWidthOfAnyTextHoldsAndSplitsNoCharacter) {
  const std::string names[] = {
      "ns::卷积<浮点, 四>::前向传播(张量)",
      "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301",
      "void f<g<h<i<j<k> > > > >(int)",
      "((((((((((((((((((",
      "::::::::::::::",
      "(anonymous namespace)::(anonymous namespace)::f<int>"};
  for (const std::string& name : names) {
    for (size_t width = 0; width < 60; ++width) {
      const std::string text = ShortenMiddle(name, width);
      EXPECT_LE(DisplayWidth(text), width) << text;
      EXPECT_EQ(VisibleText(text), text);  // not one broken sequence
      if (DisplayWidth(name) <= width) {
        EXPECT_EQ(text, name);
      }
    }
  }
}

std::string DisplayName(std::string_view name, size_t width) {
  return ShortenName(VisibleText(ClearName(name)), width);
}

TEST(DisplayNameTest, SaysWhatAKernelIs) {
  EXPECT_EQ(
      DisplayName("void at::native::vectorized_elementwise_kernel<4, "
                  "at::native::FillFunctor<float>, std::array<char*, 1ul> >("
                  "int, at::native::FillFunctor<float>, std::array<char*, "
                  "1ul>)",
                  76),
      "vectorized_elementwise_kernel<4, FillFunctor<float>, array<char*, 1ul> "
      ">");
  EXPECT_EQ(
      DisplayName("void cudnn::cnn::im2col4d_kernel<float, long>(int)", 60),
      "cudnn::cnn::im2col4d_kernel<float, long>");
  EXPECT_EQ(DisplayName("ncclKernel_Sum_float(ncclWorkElem)", 60),
            "ncclKernel_Sum_float(ncclWorkElem)");
  EXPECT_EQ(DisplayName(kLongKernel, 40).substr(0, 28),
            "Kernel<ImplicitGemmConvol...");
  EXPECT_EQ(DisplayName("aten::_convolution_backward", 20),
            "_convolut...backward");
}

TEST(ShortenNamesTest, NamesThatDifferDoNotLookAlike) {
  const std::string head = "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT";
  const std::string tail =
      "_MI16x16x1_SN_LDSB0_AFC1_AFEM1_NLCA1_ONLL1_PGR2_PLR1_PKA1_SIA3_WG32";
  const std::vector<std::string> names = {
      head + "16x16x128" + tail,
      head + "32x16x128" + tail,
      head + "32x16x256" + tail,
      head + "32x16x256" + tail,
      "at::f<at::copy_functor, std::array<char*, 3>, at::TrivialOffset>",
      "at::f<at::add_functor, std::array<char*, 3>, at::TrivialOffset>",
      "short"};
  const std::vector<std::string_view> views(names.begin(), names.end());
  for (const size_t width : {30, 40, 60, 400}) {
    const std::vector<std::string> shown = ShortenNames(views, width);
    for (size_t i = 0; i < names.size(); ++i) {
      EXPECT_LE(DisplayWidth(shown[i]), width);
      for (size_t k = 0; k < i; ++k)
        EXPECT_EQ(shown[i] == shown[k], names[i] == names[k])
            << shown[i] << " for " << names[i] << " and " << names[k];
    }
    EXPECT_EQ(shown.back(), "short");
  }
  EXPECT_EQ(ShortenNames(views, 40)[0],
            "Cijk_Alik_B...MT16x16x128_MI16x16x1_S...");
  EXPECT_EQ(ShortenNames(views, 40)[4],
            "f<copy_functor, array<cha...ivialOffset>");
}

TEST(ShortenNamesTest, AnyWidthOfAnyTextHoldsAndSplitsNoCharacter) {
  const std::vector<std::string_view> names = {
      "",
      "<",
      "\u00e4\u00f6\u00fc",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\u00e4",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\u00f6",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\u00f6aaaaaaaaaaaaaaaaaaaaaaaaa"};
  for (size_t width = 0; width < 80; ++width)
    for (const std::string& shown : ShortenNames(names, width)) {
      EXPECT_LE(DisplayWidth(shown), width);
      EXPECT_EQ(VisibleText(shown), shown);
    }
}

TEST(ShortName, IsTheNameAlone) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"aten::add_", "aten::add_"},
      {"cudaLaunchKernel", "cudaLaunchKernel"},
      {"ProfilerStep#9", "ProfilerStep#9"},
      {"nn/modules/module.py(1501): _call_impl",
       "nn/modules/module.py(1501): _call_impl"},
      {"Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pageable -> Device)"},
      {"void cudnn::batchnorm_bwtr_nhwc<__half, float, 512>(float*)",
       "batchnorm_bwtr_nhwc"},
      {"sm90_xmma_gemm_f16f16_f32_tn", "sm90_xmma_gemm_f16f16_f32_tn"},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::"
       "CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)",
       "elementwise \u00b7 CUDAFunctor_add"},
      {"void at::native::(anonymous namespace)::reduce_kernel<512, 1, "
       "at::native::ReduceOp<float, at::native::MeanOps<float> > >(int)",
       "reduce \u00b7 MeanOps"},
      {"void at::native::elementwise_kernel<2, at::native::gpu_kernel_impl<"
       "at::native::copy_kernel_cuda(int)::{lambda()#1}> >(int)",
       "elementwise \u00b7 copy"},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::"
       "BinaryFunctor<float, float, float, at::native::binary_internal::"
       "MulFunctor<float> >, std::array<char*, 3ul> >(int)",
       "elementwise \u00b7 MulFunctor"},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::"
       "CUDAFunctorOnSelf_add<long>, std::array<char*, 2ul> >(int)",
       "elementwise \u00b7 CUDAFunctorOnSelf_add"},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::"
       "(anonymous namespace)::launch_clamp_scalar(at::TensorIteratorBase&)::"
       "{lambda()#1}::operator()() const::{lambda(float)#1}>(int)",
       "elementwise \u00b7 launch_clamp_scalar"},
      {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, "
       "float, 7>(cublasGemvParams)",
       "gemvx::kernel"},
      {"void ck_tile::kentry<1, ck_tile::Rmsnorm2dFwd<int> >(int)",
       "Rmsnorm2dFwd"},
      {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<int> "
       ">(int)",
       "GemmUniversal"},
      {"void (anonymous namespace)::softmax_warp_forward<float>(float*)",
       "softmax_warp_forward"},
      {"void cutlass::Kernel2<cutlass::gemm::kernel::Gemm<int> >(int)", "Gemm"},
      {"void cutlass::Kernel<cutlass_80_simt_sgemm_64x64>(Params)",
       "cutlass_80_simt_sgemm_64x64"},
      {"_Z4copyIfEvPT_", "copy"},
      {"autograd::engine::evaluate_function: AddBackward0",
       "evaluate: AddBackward0"},
      {"kernel<", "kernel"},
      {"<lambda>", "<lambda>"},
      {"", ""},
  };
  for (const auto& [name, wanted] : cases) EXPECT_EQ(ShortName(name), wanted);
  std::string hostile;
  while (hostile.size() < 1 << 20) hostile += "Kernel<void a::(b<";
  EXPECT_LT(ShortName(hostile).size(), hostile.size() + 1);
}

}  // namespace
}  // namespace stepscope
