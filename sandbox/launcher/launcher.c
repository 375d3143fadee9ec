/*
 * launcher FILTER PROGRAM ARGUMENT...
 * launcher -c NUMBER ARGUMENT...
 *
 * Gives this process an empty session keyring and no huge pages, gives up every way to gain
 * privileges, installs a filter of system calls, and becomes PROGRAM (an absolute path) with its
 * arguments and the same environment. FILTER is classic BPF as hexadecimal text, sixteen digits per
 * instruction, as system-call-filter.ts writes it. Exits with 126 if an argument is missing or the
 * process cannot be confined, with 127 if PROGRAM cannot be started.
 *
 * With -c it makes one system call, whose number and arguments are hexadecimal, and exits with the
 * number of the error, or 0 on success. The selftest uses -c to find out which calls are refused.
 *
 * Uses no C library: build.sh makes a file of about 1 kB. For Linux on x86-64 and arm64.
 */
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <asm/unistd.h>

#define MOST_INSTRUCTIONS 1024
#define CANNOT_CONFINE 126
#define CANNOT_START 127

#if defined(__x86_64__)
#define ENTRY "mov %rsp, %rdi\n and $-16, %rsp\n call launch\n"
static long call(long number, long a, long b, long c, long d, long e)
{
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  __asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8) : "rcx", "r11", "memory");
  return number;
}
#elif defined(__aarch64__)
#define ENTRY "mov x0, sp\n bl launch\n"
static long call(long number, long a, long b, long c, long d, long e)
{
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
  return x0;
}
#endif

/* At the start, the stack holds the number of arguments, then the arguments and the environment. */
__asm__(".globl _start\n_start:\n" ENTRY);

static int digit(char c)
{
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static unsigned long read_number(const char **text, int digits)
{
  unsigned long number = 0;
  while (digits-- > 0 && digit(**text) >= 0) number = number << 4 | (unsigned long)digit(*(*text)++);
  return number;
}

/* Reads instructions: code (4 digits), both jumps (2 digits each) and constant (8 digits). Returns
 * their number, or 0 for a malformed or too long text: the kernel refuses an empty filter. */
static unsigned short read_filter(const char *text, struct sock_filter *filter)
{
  unsigned short count = 0;
  while (digit(*text) >= 0 && count < MOST_INSTRUCTIONS) {
    filter[count].code = (unsigned short)read_number(&text, 4);
    filter[count].jt = (unsigned char)read_number(&text, 2);
    filter[count].jf = (unsigned char)read_number(&text, 2);
    filter[count++].k = (unsigned)read_number(&text, 8);
  }
  return *text == 0 ? count : 0;
}

__attribute__((noreturn)) static void end(long code)
{
  for (;;) call(__NR_exit_group, code, 0, 0, 0, 0);
}

__attribute__((noreturn)) static void try_call(long count, char **texts)
{
  long values[6] = {0};
  for (int index = 0; index < count && index < 6; index++) {
    const char *text = texts[index];
    values[index] = (long)read_number(&text, 16);
  }
  long result = call(values[0], values[1], values[2], values[3], values[4], values[5]);
  end(result < 0 ? -result : 0);
}

__attribute__((noreturn, used)) void launch(long *stack)
{
  long count = stack[0];
  char **arguments = (char **)(stack + 1);
  char **environment = arguments + count + 1;
  struct sock_filter filter[MOST_INSTRUCTIONS];
  struct sock_fprog program = {0, filter};
  if (count < 3) end(CANNOT_CONFINE);
  if (arguments[1][0] == '-') try_call(count - 2, arguments + 2);
  /* May fail on a kernel without keyrings, which needs no separation. The filter also refuses all
   * calls that name a keyring. */
  call(__NR_keyctl, KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0);
  /* Without huge pages, resident memory is close to the memory that the program uses. */
  call(__NR_prctl, PR_SET_THP_DISABLE, 1, 0, 0, 0);
  program.len = read_filter(arguments[1], filter);
  if (call(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) end(CANNOT_CONFINE);
  if (call(__NR_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)&program, 0, 0) != 0) end(CANNOT_CONFINE);
  call(__NR_execve, (long)arguments[2], (long)(arguments + 2), (long)environment, 0, 0);
  end(CANNOT_START);
}
