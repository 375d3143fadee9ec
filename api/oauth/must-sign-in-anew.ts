import type { OpenSession } from '../../commands/sign-in/signed-in.ts';

/** Reasons of a login prompt that need a sign-in after the request. */
const ASKS_ANEW = ['login_prompt', 'max_age'];

/** The part of an interaction that states what the person must do. */
export interface InteractionPrompt {
  prompt: { name: string; reasons: string[]; details: Record<string, unknown> };
}

/** Whether the client requires a sign-in after its request (`prompt=login`, `max_age`). */
export function asksAnew({ prompt }: InteractionPrompt): boolean {
  return prompt.name === 'login' && prompt.reasons.some((reason) => ASKS_ANEW.includes(reason));
}

/**
 * Whether the person must sign in although they have this session: the client requires a sign-in
 * after its request, and the session began before it.
 */
export function mustSignInAnew(interaction: InteractionPrompt, { id, isProvedAnew }: OpenSession): boolean {
  return asksAnew(interaction) && (interaction.prompt.details.session === id || !isProvedAnew);
}
