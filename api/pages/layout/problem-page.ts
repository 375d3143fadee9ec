import type { GatewayError } from '../../../domain/errors.ts';
import type { Page } from './render-page.ts';
import { unavailableWords } from './unavailable-words.ts';

/** The page of an error, for a person who followed a link. */
export function problemPage(error: GatewayError, requestId: string | undefined): Page {
  const unexpected = error.status >= 500;
  const data = { ...wordsOf(error), requestId: unexpected ? requestId : undefined };
  return { status: error.status, title: data.title, template: 'layout/problem', data };
}

function wordsOf(error: GatewayError): { title: string; sentence: string; advice: string } {
  const words = error.status === 503 ? { title: unavailableWords(error).title, advice: UNAVAILABLE } : (WORDS[error.status] ?? OTHER);
  return { ...words, sentence: error.status === 404 ? '' : error.message };
}

const UNAVAILABLE = 'Nothing is lost and nothing changed. Wait a moment, then reload this page.';

const OTHER = { title: 'That did not work', advice: 'Go back, open the link again, and try once more.' };

const WORDS: Record<number, { title: string; advice: string }> = {
  403: { title: 'This form came from another site', advice: 'Nothing changed. Open the link itself and use the form there.' },
  404: {
    title: 'This link does not work',
    advice: 'It may be incomplete, expired or deleted. Copy the whole link from the message that you got, and try again.',
  },
  405: { title: 'That is not possible here', advice: 'Open the link in a browser.' },
  410: {
    title: 'This link has expired',
    advice: 'The decision stays valid. Members of the organization can read it with the API.',
  },
  413: { title: 'The text is too long', advice: 'Nothing changed. Go back, shorten the text and try again.' },
  415: {
    title: 'The form could not be read',
    advice: 'Nothing changed. Open the link in a browser and use the form there.',
  },
  429: { title: 'Too many attempts', advice: 'Nothing changed.' },
  500: {
    title: 'Something went wrong on our side',
    advice: 'Try again in a moment. If it happens again, send the request number below to your operator.',
  },
};
