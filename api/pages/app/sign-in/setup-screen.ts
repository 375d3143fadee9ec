import { z } from 'zod';
import { isSetupLink, setUp } from '../../../../commands/members/set-up.ts';
import { EMAIL_MAX_LENGTH, NAME_MAX_LENGTH } from '../../../../domain/limits.ts';
import { isOwnAddress } from '../../../../domain/member.ts';
import { name } from '../../../schemas.ts';
import { type FormSpec, formPage, submitForm } from '../form.ts';
import { endedLinkPage } from '../problem-pages.ts';
import type { PublicScreen } from '../screen.ts';
import { browserOf } from './browser-of.ts';
import { NEW_PASSWORD, NOT_THE_ADDRESS, newPassword } from './new-password.ts';
import { startSession } from './start-session.ts';

const schema = z
  .strictObject({ name, email: z.email().max(EMAIL_MAX_LENGTH), password: newPassword })
  .refine(({ email, password }) => !isOwnAddress(password, email), { path: ['password'], message: NOT_THE_ADDRESS });

const ENDED = endedLinkPage(
  'This set-up link was used, has expired, or was replaced by a newer one. If an owner has signed in already, sign in. Else make a new link on the machine of the service: npm run --silent admin -- setup-link',
);

/** `/app/setup?token=…`: creates the first owner (decisions section 7, First person). */
export const setupScreen: PublicScreen = {
  path: '/setup',
  get: async ({ gateway, query }) => {
    const token = query.get('token') ?? '';
    if (!(await isSetupLink(gateway, token))) return ENDED;
    return { ...formPage(specOf(token)), hasSecret: true };
  },
  post: async (visitor) => {
    const { gateway, ctx, form } = visitor;
    const token = form.get('token') ?? '';
    if (!(await isSetupLink(gateway, token))) return ENDED;
    const answer = await submitForm(specOf(token), schema, form, async (owner) => {
      const session = await setUp(gateway, token, owner, browserOf(ctx));
      if (session === undefined) return ENDED;
      await startSession(visitor, session);
      return { seeOther: '/', done: 'You are the owner of this gateway.' };
    });
    return 'template' in answer ? { ...answer, hasSecret: true } : answer;
  },
};

function specOf(token: string): FormSpec {
  return {
    title: 'Set up this gateway',
    intro: 'You become the first owner of this gateway. Later you can invite others.',
    fields: [
      { name: 'name', label: 'Your name', kind: 'text', maxLength: NAME_MAX_LENGTH, autocomplete: 'name' },
      { name: 'email', label: 'E-mail', kind: 'email', maxLength: EMAIL_MAX_LENGTH, autocomplete: 'username' },
      { name: 'password', label: 'Password', ...NEW_PASSWORD },
    ],
    button: 'Create the owner account',
    hidden: { token },
  };
}
