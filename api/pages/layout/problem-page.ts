import type { GatewayError } from '../../../domain/errors.ts';
import type { Page } from './render-page.ts';

/** The page for an error: what is wrong and what to do, in words for a person who followed a link. */
export function problemPage(error: GatewayError, requestId: string | undefined): Page {
  const { title, advice } = WORDS[error.status] ?? OTHER;
  const unexpected = error.status >= 500;
  return {
    status: error.status,
    title,
    template: 'layout/problem',
    data: { title, sentence: error.status === 404 ? '' : error.message, advice, requestId: unexpected ? requestId : undefined },
  };
}

const OTHER = { title: 'That did not work', advice: 'Go back, open the link again, and try once more.' };

const WORDS: Record<number, { title: string; advice: string }> = {
  403: { title: 'This form came from another site', advice: 'Nothing was changed. Open the link itself and use the form there.' },
  404: {
    title: 'This link opens nothing',
    advice:
      'It may be incomplete, out of date, or meant for something that is no longer here. Copy the whole link from the message you got, and try again.',
  },
  405: { title: 'That is not possible here', advice: 'Open the link in a browser.' },
  413: { title: 'That was too much text', advice: 'Nothing was changed. Go back, shorten what you wrote, and try again.' },
  415: {
    title: 'The form arrived in a form we can’t read',
    advice: 'Nothing was changed. Open the link in a browser and use the form there.',
  },
  500: {
    title: 'Something went wrong on our side',
    advice: 'Try again in a moment. If it stays like this, tell your operator the number below.',
  },
  503: {
    title: 'We can’t reach our records right now',
    advice: 'Nothing is lost and nothing was changed. Wait a moment, then load this page again.',
  },
};
