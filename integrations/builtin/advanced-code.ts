import { z } from 'zod';
import { ADVANCED_CODE_TIMEOUT_SECONDS, CODE_RUN, SANDBOX_PROGRAM } from '../../domain/limits.ts';
import type { ActionSandbox, ProgramRun } from '../action-sandbox.ts';
import { action, integration } from '../definition.ts';

const outputKb = SANDBOX_PROGRAM.outputMaxBytes / 1024;

export const advancedCode = integration({
  name: 'advanced-code',
  displayName: 'Sandbox',
  description: 'Run JavaScript, Python or shell programs in a sandbox without network',
  logoUrl: null,
  categories: ['DEVELOPER_TOOLS'],
  auth: null,
  actions: {
    run_code: action({
      displayName: 'Run code',
      description:
        'Run a program. Python and shell have a workspace folder, with stored files in ./storage if mounted. Settings of the workspace integration decide the mount, whether the folder is kept between runs, and the time limit. JavaScript has no Node.js and no files',
      category: 'code',
      input: z.object({
        language: z.enum(['javascript', 'python', 'shell']).describe('language of the program'),
        code: z.string().min(1).max(CODE_RUN.codeMaxBytes).describe('the program'),
      }),
      output: z.object({
        exitCode: z
          .number()
          .describe('exit code of the program; 128 plus the number of the signal that ended it; 1 if JavaScript threw an error'),
        stdout: z.string().describe(`at most ${outputKb} kB; for JavaScript: console.log, info and debug`),
        stderr: z.string().describe(`at most ${outputKb} kB; for JavaScript: console.warn and error, and the thrown error`),
        truncated: z.boolean().describe('whether there was more output'),
        durationMs: z.number(),
        result: z.unknown().describe('return value of JavaScript; null for other languages'),
        notKept: z
          .array(z.string())
          .describe('entries of a persistent folder that are not stored because they are not plain files, such as links'),
      }),
      deadlineSeconds: ({ advancedCode }) =>
        (advancedCode?.timeoutSeconds ?? ADVANCED_CODE_TIMEOUT_SECONDS.default) + SANDBOX_PROGRAM.graceSeconds,
      async run({ input: { language, code }, sandbox }) {
        if (language === 'javascript') return runJavaScript(sandbox(), code);
        return { ...(await sandbox().runProgram({ language, code })), result: null };
      },
    }),
  },
});

async function runJavaScript(sandbox: ActionSandbox, code: string): Promise<ProgramRun & { result: unknown }> {
  const end = await sandbox.compute({ code, inputs: {} });
  const linesOf = (levels: string[]) => end.logs.filter(({ level }) => levels.includes(level)).map(({ message }) => `${message}\n`);
  const { durationMs, isLogCut: truncated } = end;
  const stdout = linesOf(['log', 'info', 'debug']).join('');
  const stderr = linesOf(['warn', 'error']);
  if (end.ok) return { exitCode: 0, stdout, stderr: stderr.join(''), truncated, durationMs, result: end.result, notKept: [] };
  const { message, line, column } = end.error;
  stderr.push(line === undefined ? `${message}\n` : `${message} (line ${line}, column ${column})\n`);
  return { exitCode: 1, stdout, stderr: stderr.join(''), truncated, durationMs, result: null, notKept: [] };
}
