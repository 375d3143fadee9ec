import type { Context } from 'koa';
import type { GatewayError } from '../../../domain/errors.ts';
import { ROLE_NAMES } from '../../../domain/member.ts';
import type { OrgRole } from '../../../domain/policies/policy.ts';
import { isSecretName } from '../../../domain/redaction/is-secret-name.ts';
import { MAX_FIELDS } from '../layout/read-form.ts';
import { unavailableWords } from '../layout/unavailable-words.ts';
import { SECRET_FIELD } from './form.ts';
import type { AppPage } from './screen.ts';

const FORBIDDEN = 'You may not do this';
const NOTHING = 'There is nothing here';

/** `role` is the required role. */
export function forbiddenPage(role: OrgRole): AppPage {
  return problem(403, FORBIDDEN, `This page needs the role ${ROLE_NAMES[role]}. Ask an owner of the organization.`);
}

const SIGN_IN_IS_OVER = 'Your session has ended, so nothing was saved.';

/**
 * The answer to a form that needs a new sign-in. Keeps typed values, except secrets, to be sent
 * again.
 */
export function signInAgainPage(ctx: Context, form: URLSearchParams, reason = SIGN_IN_IS_OVER): AppPage {
  const fields = form.size > MAX_FIELDS ? [] : [...form];
  const secrets = new Set(form.getAll(SECRET_FIELD));
  const kept = fields.filter(([name]) => !secrets.has(name) && !isSecretName(name)).map(([name, value]) => ({ name, value }));
  const isComplete = kept.length === form.size;
  return { status: 401, title: 'Sign in again', template: 'layout/sign-in-again', data: { kept, isComplete, reason, query: ctx.search } };
}

/**
 * The answer to a form while a part of the service is unavailable. Keeps typed values, except
 * secrets, to be sent again.
 */
export function sendAgainPage(ctx: Context, form: URLSearchParams, error: GatewayError): AppPage {
  const { data } = signInAgainPage(ctx, form);
  const { title, sentence } = unavailableWords(error);
  return { status: 503, title, template: 'layout/send-again', data: { ...data, title, sentence } };
}

/** The page of an expired link (404). */
export function endedLinkPage(sentence: string): AppPage {
  return problem(404, NOTHING, sentence);
}

/** The page of an error. Only server errors show the id of the request. */
export function problemPageOf(error: GatewayError, requestId: string | undefined): AppPage {
  if (error.status === 403 && error.code !== 'ORIGIN_NOT_ALLOWED') return problem(403, FORBIDDEN, error.message);
  const known = error.status === 503 ? unavailableWords(error) : WORDS[error.status];
  const { title, sentence } = known ?? { title: 'That did not work', sentence: error.message };
  return problem(error.status, title, sentence, error.status >= 500 ? requestId : undefined);
}

const WORDS: Record<number, { title: string; sentence: string }> = {
  403: { title: 'This form came from another site', sentence: 'Nothing changed. Open the page itself and use the form there.' },
  404: { title: NOTHING, sentence: 'It may be deleted, or the link is incomplete.' },
  405: { title: 'That is not possible here', sentence: 'Nothing changed.' },
  413: { title: 'The text is too long', sentence: 'Nothing changed. Shorten the text in the form and send it again.' },
  415: { title: 'The form could not be read', sentence: 'Nothing changed. Use the form of the page.' },
  500: { title: 'Something went wrong on our side', sentence: 'Try again. If it happens again, give your operator the request number.' },
};

function problem(status: number, title: string, sentence: string, requestId?: string): AppPage {
  return { status, title, template: 'layout/problem', data: { title, sentence, requestId, isUnavailable: status === 503 } };
}
