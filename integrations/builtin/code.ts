import { z } from 'zod';
import { CODE_RUN, COMPUTATION_SECONDS } from '../../domain/limits.ts';
import { ActionError, action, integration } from '../definition.ts';

export const code = integration({
  name: 'code',
  displayName: 'Code',
  description: 'Compute with JavaScript: no network, no files, no imports',
  logoUrl: null,
  categories: ['DEVELOPER_TOOLS'],
  auth: null,
  actions: {
    run_code: action({
      displayName: 'Run code',
      description: `Run JavaScript, at most ${COMPUTATION_SECONDS} seconds, and return its result and its console output`,
      category: 'code',
      // The code has no side effects, so repeating it is safe.
      idempotent: true,
      input: z.object({
        code: z
          .string()
          .min(1)
          .max(CODE_RUN.codeMaxBytes)
          .describe(
            'JavaScript with top-level await and return, or one arrow function that gets the inputs, such as (inputs) => inputs.a + 1',
          ),
        inputs: z.record(z.string(), z.unknown()).default({}).describe('value of the global variable inputs'),
      }),
      output: z.object({
        result: z.unknown().describe('return value of the code, as JSON'),
        logs: z.array(z.object({ level: z.string(), message: z.string(), timestamp: z.string() })),
      }),
      async run({ input, sandbox }) {
        const { logs, ...end } = await sandbox().compute({ ...input, timeoutSeconds: COMPUTATION_SECONDS });
        if (end.ok) return { result: end.result, logs };
        const { code, message, line, column } = end.error;
        const place = line === undefined ? '' : ` (line ${line}, column ${column})`;
        throw new ActionError(`${message}${place}`, { code, reason: message, ...(line === undefined ? {} : { line, column }), logs });
      },
    }),
  },
});
