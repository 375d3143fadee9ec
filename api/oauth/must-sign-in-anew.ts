import type { OpenSession } from '../../commands/sign-in/signed-in.ts';

/** Reasons of a login prompt that a session from before the request does not answer. */
const ASKS_ANEW = ['login_prompt', 'max_age'];

/** The part of an interaction that says what the person is asked for. */
export interface Prompted {
  prompt: { name: string; reasons: string[]; details: Record<string, unknown> };
}

/** Whether the client asked for a sign-in after its request (`prompt=login`, `max_age`). */
export function asksAnew({ prompt }: Prompted): boolean {
  return prompt.name === 'login' && prompt.reasons.some((reason) => ASKS_ANEW.includes(reason));
}

/** Whether a session cannot answer the prompt, because it began before the request did. */
export function mustSignInAnew(interaction: Prompted, { id, isProvedAnew }: OpenSession): boolean {
  return asksAnew(interaction) && (interaction.prompt.details.session === id || !isProvedAnew);
}
