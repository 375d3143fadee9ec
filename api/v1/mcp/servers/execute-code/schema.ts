import { z } from 'zod';
import { APPROVAL_WAIT_SECONDS, CODE_RUN } from '../../../../../domain/limits.ts';
import { jsonObject, text } from '../../../../schemas.ts';

const code = z
  .string()
  .min(1)
  .refine((source) => Buffer.byteLength(source) <= CODE_RUN.codeMaxBytes, `must not be larger than ${CODE_RUN.codeMaxBytes} bytes`)
  .describe('JavaScript source');

/** Requires exactly one of code and approvalId (specification 4.2). */
export const executeCodeRequest = z
  .strictObject({
    code: code.optional(),
    approvalId: text.min(1).max(100).optional(),
    waitForApprovalSeconds: z.int().min(APPROVAL_WAIT_SECONDS.min).max(APPROVAL_WAIT_SECONDS.max).optional(),
  })
  .refine((body) => (body.code === undefined) !== (body.approvalId === undefined), 'send exactly one of code and approvalId');

export const executeCodeAnswer = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  structuredContent: jsonObject,
  isError: z.boolean(),
});
