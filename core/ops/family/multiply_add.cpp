// SPDX-License-Identifier: GPL-3.0-or-later
// The one hot loop of the reference: a register tile of 4 rows by 16 columns in float64.
#include "core/ops/family/rule.h"

namespace fettle::ops {

namespace {

typedef double Vector8 __attribute__((vector_size(64), aligned(8)));

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FETTLE_CLONES __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define FETTLE_CLONES
#endif

FETTLE_CLONES void fullTile(int64_t k, const double* a, int64_t lda, const double* b, int64_t ldb, double* c,
                            int64_t ldc) {
    Vector8 sum[4][2] = {};
    for (int64_t i = 0; i < k; ++i) {
        const Vector8 left = *reinterpret_cast<const Vector8*>(b + i * ldb);
        const Vector8 right = *reinterpret_cast<const Vector8*>(b + i * ldb + 8);
        for (int r = 0; r < 4; ++r) {
            const double scale = a[r * lda + i];
            sum[r][0] += scale * left;
            sum[r][1] += scale * right;
        }
    }
    for (int r = 0; r < 4; ++r) {
        *reinterpret_cast<Vector8*>(c + r * ldc) += sum[r][0];
        *reinterpret_cast<Vector8*>(c + r * ldc + 8) += sum[r][1];
    }
}

FETTLE_CLONES void edgeTile(int64_t m, int64_t n, int64_t k, const double* a, int64_t lda, const double* b, int64_t ldb,
                            double* c, int64_t ldc) {
    for (int64_t r = 0; r < m; ++r)
        for (int64_t i = 0; i < k; ++i)
            for (int64_t j = 0; j < n; ++j) c[r * ldc + j] += a[r * lda + i] * b[i * ldb + j];
}

}  // namespace

void multiplyAdd(int64_t m, int64_t n, int64_t k, const double* a, int64_t lda, const double* b, int64_t ldb, double* c,
                 int64_t ldc) {
    for (int64_t r = 0; r < m; r += 4)
        for (int64_t j = 0; j < n; j += 16)
            if (r + 4 <= m && j + 16 <= n)
                fullTile(k, a + r * lda, lda, b + j, ldb, c + r * ldc + j, ldc);
            else
                edgeTile(std::min<int64_t>(4, m - r), std::min<int64_t>(16, n - j), k, a + r * lda, lda, b + j, ldb,
                         c + r * ldc + j, ldc);
}

}  // namespace fettle::ops
