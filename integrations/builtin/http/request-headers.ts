import { z } from 'zod';
import { headerProblem } from '../../../domain/header-problem.ts';

const MAX_HEADERS = 100;

/** Headers that a caller sets on a request. */
export const requestHeaders = z.record(z.string().min(1).max(256), z.string().max(8192)).superRefine((headers, context) => {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) context.addIssue({ code: 'custom', message: `holds too many headers: at most ${MAX_HEADERS}` });
  for (const [name, value] of entries) {
    const message = headerProblem(name, value);
    if (message) context.addIssue({ code: 'custom', path: [name], message });
  }
});
