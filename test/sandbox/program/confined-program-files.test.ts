import { exited, USERS, useProgramBed } from './program-bed.ts';

const onLinux = process.platform === 'linux' ? describe.each(USERS) : describe.skip.each(USERS);

onLinux('a program of a service that runs as %s', (_name, uid) => {
  const { confined, run } = useProgramBed(uid);

  confined('can read the given files, and returns only plain files', async () => {
    const long = `${'folder'.repeat(20)}/${'name'.repeat(40)}`;
    const files = [
      { path: 'in.txt', content: Buffer.from('given'), isExecutable: false },
      { path: long, content: Buffer.from('long'), isExecutable: true },
      { path: 'ünïcode/名.txt', content: Buffer.alloc(0), isExecutable: false },
    ];
    const code = `cat in.txt '${long}'; rm in.txt; [ -x '${long}' ] && echo x
      mkdir -p a/b empty; printf '\\377\\0' > a/b/bytes; ln a/b/bytes hard
      ln -s /etc/passwd link; ln -s .. a/up; mkfifo pipe; touch "$(printf '\\377')"; chmod 000 a/b/bytes`;
    const result = exited(await run(code, { files, keepsFiles: true }));
    expect(result).toMatchObject({ exitCode: 0, stdout: 'givenlongx\n', stderr: '' });
    expect(result.files.map(({ path, content, isExecutable }) => [path, content.toString('latin1'), isExecutable]).sort()).toEqual([
      ['a/b/bytes', '\u00ff\0', false],
      [long, 'long', true],
      ['hard', '\u00ff\0', false],
      ['ünïcode/名.txt', '', false],
    ]);
    expect(result.notKept.sort()).toEqual(['a/up', 'link', 'pipe', '\ufffd'].sort());
  });

  confined('cannot change the returned files through a process that it left running', async () => {
    const code = 'echo one > f; (setsid sh -c "while :; do rm -rf f; ln -s /etc/shadow f; rm f; echo two > f; done" &) ; sleep 0.1; exit 0';
    for (const { content } of exited(await run(code, { keepsFiles: true })).files) expect(content.toString()).toMatch(/^((one|two)\n)?$/);
  });
});
