/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Runs the model of this folder. Written by Fettle; yours to change.
 *
 *     cc example.c -ldl -o example
 *     ./example [-m MODEL.SO] [-t THREADS] [-n RUNS] [-o PREFIX] [INPUT_0.BIN INPUT_1.BIN ...]
 *
 * Inputs are raw little-endian tensors, row-major, one file each; those that are not given are filled with seeded
 * numbers. Prints the first values of each output and the shortest latency; -o writes PREFIX0.bin, PREFIX1.bin ... */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model.h"

static const char* const code_names[] = {"OK",     "E_ABI",   "E_CPU",  "E_VLEN",
                                         "E_SIZE", "E_ALIGN", "E_NULL", "E_WORKSPACE"};

static void stop(const char* what, const char* why) {
    fprintf(stderr, "example: %s: %s\n", what, why);
    exit(1);
}

static void* allocate(uint64_t bytes, uint64_t alignment) {
    void* memory = NULL;
    if (alignment < sizeof(void*)) alignment = sizeof(void*);
    if (posix_memalign(&memory, (size_t)alignment, bytes ? (size_t)bytes : 1) != 0)
        stop("memory", "there is not enough");
    return memory;
}

static void load(const char* path, void* data, uint64_t bytes) {
    FILE* file = fopen(path, "rb");
    if (file == NULL) stop(path, "cannot open it");
    if (fread(data, 1, (size_t)bytes, file) != bytes || fgetc(file) != EOF) stop(path, "its size is not the tensor's");
    fclose(file);
}

static void save(const char* prefix, uint32_t number, const void* data, uint64_t bytes) {
    char path[4096];
    FILE* file;
    snprintf(path, sizeof path, "%s%u.bin", prefix, (unsigned)number);
    file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, (size_t)bytes, file) != bytes || fclose(file) != 0)
        stop(path, "cannot write it");
}

/* Floats in [-1, 1); integers in [0, 8). xorshift32. */
static void fill(const fettle_tensor* tensor, void* data, uint32_t seed) {
    uint64_t i, count = 1;
    int32_t k;
    for (k = 0; k < tensor->rank; ++k) count *= (uint64_t)tensor->dims[k];
    memset(data, 0, (size_t)tensor->bytes);
    for (i = 0; i < count; ++i) {
        seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
        switch (tensor->dtype) {
            case 1:
                ((float*)data)[i] = (float)seed / 2147483648.0f - 1.0f;
                break;
            case 11:
                ((double*)data)[i] = (double)seed / 2147483648.0 - 1.0;
                break;
            case 7:
                ((int64_t*)data)[i] = (int64_t)(seed & 7u);
                break;
            case 6:
                ((int32_t*)data)[i] = (int32_t)(seed & 7u);
                break;
            case 9:
                ((uint8_t*)data)[i] = (uint8_t)(seed & 1u);
                break;
            case 2:
            case 3:
                ((uint8_t*)data)[i] = (uint8_t)(seed & 7u);
                break;
            default:
                return; /* zeros */
        }
    }
}

static void print_value(const fettle_tensor* tensor, const void* data, uint64_t i) {
    switch (tensor->dtype) {
        case 1:
            printf(" %.6g", ((const float*)data)[i]);
            break;
        case 11:
            printf(" %.6g", ((const double*)data)[i]);
            break;
        case 7:
            printf(" %lld", (long long)((const int64_t*)data)[i]);
            break;
        case 6:
            printf(" %ld", (long)((const int32_t*)data)[i]);
            break;
        case 3:
            printf(" %d", ((const int8_t*)data)[i]);
            break;
        default:
            printf(" 0x%02x", ((const uint8_t*)data)[i]);
    }
}

static void print_tensor(const fettle_tensor* tensor, const void* data) {
    uint64_t i, count = 1;
    int32_t k;
    printf("output %s [", tensor->name);
    for (k = 0; k < tensor->rank; ++k) {
        printf(k ? ",%lld" : "%lld", (long long)tensor->dims[k]);
        count *= (uint64_t)tensor->dims[k];
    }
    printf("]:");
    for (i = 0; i < count && i < 8; ++i) print_value(tensor, data, i);
    printf(count > 8 ? " ...\n" : "\n");
}

static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static fettle_buffer* make_buffers(const fettle_tensor* tensors, uint32_t count) {
    fettle_buffer* buffers = (fettle_buffer*)allocate(count * sizeof *buffers, 8);
    uint32_t i;
    for (i = 0; i < count; ++i) {
        buffers[i].bytes = tensors[i].bytes;
        buffers[i].data = allocate(tensors[i].bytes, tensors[i].alignment);
    }
    return buffers;
}

static void* open_symbol(void* library, const char* name) {
    void* symbol = dlsym(library, name);
    if (symbol == NULL) stop(name, "the library does not export it");
    return symbol;
}

int main(int argc, char** argv) {
    const char *path = "./model.so", *prefix = NULL;
    int threads = 1, runs = 20, files = argc, i;
    for (i = 1; i < argc && files == argc; i += 2) {
        if (argv[i][0] != '-') {
            files = i;
        } else if (i + 1 >= argc) {
            stop(argv[i], "a value is missing");
        } else if (strcmp(argv[i], "-m") == 0) {
            path = argv[i + 1];
        } else if (strcmp(argv[i], "-t") == 0) {
            threads = atoi(argv[i + 1]);
        } else if (strcmp(argv[i], "-n") == 0) {
            runs = atoi(argv[i + 1]);
        } else if (strcmp(argv[i], "-o") == 0) {
            prefix = argv[i + 1];
        } else {
            stop(argv[i], "there is no such option");
        }
    }

    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) stop("cannot load the model", dlerror());
    fettle_query_fn query;
    fettle_run_fn run;
    *(void**)&query = open_symbol(library, "fettle_@NAME@_query");
    *(void**)&run = open_symbol(library, "fettle_@NAME@_run");
    const fettle_info* info = query(FETTLE_ABI_MAJOR);
    if (info == NULL || info->magic != FETTLE_MAGIC) stop(path, "its ABI is not the one of model.h");

    fettle_call call;
    memset(&call, 0, sizeof call);
    fettle_buffer* inputs = make_buffers(info->inputs, info->input_count);
    fettle_buffer* outputs = make_buffers(info->outputs, info->output_count);
    for (i = 0; i < (int)info->input_count; ++i) {
        if (files + i < argc) {
            load(argv[files + i], inputs[i].data, inputs[i].bytes);
        } else {
            fill(&info->inputs[i], inputs[i].data, 2463534242u + (uint32_t)i);
        }
    }
    call.struct_size = sizeof call;
    call.threads = (uint32_t)threads;
    call.inputs = inputs;
    call.outputs = outputs;
    call.workspace = allocate(info->workspace_bytes, info->workspace_alignment);
    call.workspace_bytes = info->workspace_bytes;

    double best = 0;
    for (i = 0; i < runs || i == 0; ++i) {
        const double start = now_us();
        const int32_t code = run(&call);
        const double took = now_us() - start;
        if (code != FETTLE_OK) stop("the model returned", code > 0 && code < 8 ? code_names[code] : "an unknown code");
        if (i == 0 || took < best) best = took;
    }
    for (i = 0; i < (int)info->output_count; ++i) {
        print_tensor(&info->outputs[i], outputs[i].data);
        if (prefix != NULL) save(prefix, (uint32_t)i, outputs[i].data, outputs[i].bytes);
    }
    printf("latency: %.1f us (shortest of %d, %d thread%s)\n", best, runs > 0 ? runs : 1, threads,
           threads == 1 ? "" : "s");
    return 0;
}
