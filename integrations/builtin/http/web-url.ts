import { z } from 'zod';

export const WEB_URL_MAX_LENGTH = 16_384;

/**
 * An absolute http or https address without a user name or password. Each call checks whether the
 * address may be called.
 */
export const webUrl = z
  .string()
  .min(1, { abort: true })
  .max(WEB_URL_MAX_LENGTH, { abort: true })
  .superRefine((text, context) => {
    const message = problemOf(URL.parse(text));
    if (message) context.addIssue({ code: 'custom', message });
  })
  .describe('a public https address');

function problemOf(url: URL | null): string | undefined {
  if (!url || !WEB.has(url.protocol)) return 'is not a URL that can be called. It needs to be absolute, such as https://example.com/path';
  return url.username || url.password ? 'must not hold a user name or a password: send them as a header' : undefined;
}

const WEB = new Set(['http:', 'https:']);
