/* SPDX-License-Identifier: Apache-2.0
 *
 * A program with NVTX ranges that knows nothing of stepscope.
 *
 * usage: ranges [STEPS]     the ranges below, STEPS times (default 5)
 *        ranges fork        the parent and a forked child have ranges
 *        ranges exit        ends by _exit, with ranges recorded
 *        ranges kill        ends by SIGKILL, inside a range
 *        ranges segv, term  likewise by SIGSEGV and SIGTERM
 *        ranges burst       many ranges, then SIGKILL
 *        ranges full        many steps, until no file may grow any more
 *        ranges wait        prints "ready", then waits for SIGTERM: exit 5
 *        ranges lines       a step for each line of its input, until that ends
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvtx_client.h"

static nvtxDomainHandle_t domain;
static nvtxStringHandle_t registered;

static void one_step(int step) {
  char name[32];
  snprintf(name, sizeof(name), "step %d", step);
  nvtxRangePushA(name);
  nvtxRangePushA("forward");
  nvtxMarkA("mark");
  nvtxRangePop();
  nvtxEventAttributes_t attributes;
  memset(&attributes, 0, sizeof(attributes));
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.category = 3;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  attributes.payload.llValue = 1000 + step;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = registered;
  /* Pushed in one domain, popped after a pop in the other. */
  nvtxDomainRangePushEx(domain, &attributes);
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "categorised";
  nvtxRangePushEx(&attributes);
  nvtxRangePop();
  nvtxRangePop();
  nvtxDomainRangePop(domain);
  nvtxRangeId_t wide = nvtxRangeStartW(L"wide \u00e9");
  nvtxRangeEnd(wide);
  nvtxRangeEnd(wide); /* once too often */
}

static nvtxRangeId_t handed_over;

static void* second_thread(void* unused) {
  (void)unused;
  nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "helper");
  nvtxRangePushA("on the helper");
  nvtxRangePop();
  nvtxRangeEnd(handed_over);
  return NULL;
}

static void on_term(int signal) {
  (void)signal;
  _exit(5);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "5";
  domain = nvtxDomainCreateA("NCCL");
  registered = nvtxDomainRegisterStringA(domain, "ncclAllReduce");
  nvtxNameCategoryA(3, "third");
  if (strcmp(what, "fork") == 0) {
    one_step(0);
    if (fork() == 0) {
      nvtxRangePushA("in the child");
      nvtxRangePop();
      exit(0);
    }
    wait(NULL);
    one_step(1);
    return 0;
  }
  if (strcmp(what, "exit") == 0) {
    one_step(0);
    _exit(3);
  }
  if (strcmp(what, "kill") == 0) {
    one_step(0);
    nvtxRangePushA("never ends");
    kill(getpid(), SIGKILL);
  }
  if (strcmp(what, "segv") == 0 || strcmp(what, "term") == 0) {
    one_step(0);
    nvtxRangePushA("never ends");
    raise(what[0] == 's' ? SIGSEGV : SIGTERM);
  }
  if (strcmp(what, "burst") == 0) {
    for (int i = 0; i < 20000; ++i) one_step(0);
    kill(getpid(), SIGKILL);
  }
  if (strcmp(what, "full") == 0) {
    one_step(0);
    usleep(200000); /* the recorder has made its files */
    const struct rlimit limit = {1536 * 1024, 1536 * 1024};
    setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 1; i < 100000; ++i) one_step(i);
    usleep(500000); /* it has noticed while we run */
    return 0;
  }
  if (strcmp(what, "wait") == 0) {
    signal(SIGTERM, on_term);
    nvtxRangePushA("waiting");
    puts("ready");
    fflush(stdout);
    for (;;) pause();
  }
  if (strcmp(what, "lines") == 0) {
    int step = 0;
    for (int c = getchar(); c != EOF; c = getchar())
      if (c == '\n') one_step(step++);
    return 0;
  }
  const int steps = atoi(what);
  for (int i = 0; i < steps; ++i) one_step(i);
  handed_over = nvtxRangeStartA("handed over");
  pthread_t thread;
  pthread_create(&thread, NULL, second_thread, NULL);
  pthread_join(thread, NULL);
  return 0;
}
