import type { OpenSession } from '../../commands/sign-in/signed-in.ts';

const NEEDS_NEW_SIGN_IN = ['login_prompt', 'max_age'];

/** The prompt of an OAuth interaction. */
export interface InteractionPrompt {
  prompt: { name: string; reasons: string[]; details: Record<string, unknown> };
}

/** Whether the client requires a sign-in after its request (`prompt=login`, `max_age`). */
export function requiresNewSignIn({ prompt }: InteractionPrompt): boolean {
  return prompt.name === 'login' && prompt.reasons.some((reason) => NEEDS_NEW_SIGN_IN.includes(reason));
}

/**
 * Whether the client requires a newer sign-in than this session. Such a sign-in also needs a fresh
 * proof of identity.
 */
export function mustSignInAgain(interaction: InteractionPrompt, { id, isAuthenticatedAtStart }: OpenSession): boolean {
  return requiresNewSignIn(interaction) && (interaction.prompt.details.session === id || !isAuthenticatedAtStart);
}
