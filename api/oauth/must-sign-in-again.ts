import type { OpenSession } from '../../commands/sign-in/signed-in.ts';

/** Reasons of a login prompt that need a sign-in after the request. */
const NEEDS_NEW_SIGN_IN = ['login_prompt', 'max_age'];

/** The part of an interaction that states what the person must do. */
export interface InteractionPrompt {
  prompt: { name: string; reasons: string[]; details: Record<string, unknown> };
}

/** Whether the client requires a sign-in after its request (`prompt=login`, `max_age`). */
export function requiresNewSignIn({ prompt }: InteractionPrompt): boolean {
  return prompt.name === 'login' && prompt.reasons.some((reason) => NEEDS_NEW_SIGN_IN.includes(reason));
}

/**
 * Whether the person must sign in although they have this session: the client requires a sign-in
 * after its request, and the session began before it.
 */
export function mustSignInAgain(interaction: InteractionPrompt, { id, isAuthenticatedAtStart }: OpenSession): boolean {
  return requiresNewSignIn(interaction) && (interaction.prompt.details.session === id || !isAuthenticatedAtStart);
}
