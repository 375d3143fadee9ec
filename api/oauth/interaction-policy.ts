import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import type { Gateway } from '../../commands/gateway.ts';
import { sessionOf } from '../../commands/sign-in/signed-in.ts';
import { readSignInCookie } from '../pages/sign-in/sign-in-cookies.ts';
import { MAX_AGE_PARAMETER } from './accept-parameters.ts';

/**
 * Decides when a person must sign in or consent. For native clients, the library would ask for
 * consent at every authorization. Here, one consent per MCP server is enough, because each
 * registration is one installation.
 */
export function policyOf(gateway: Gateway): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  const { Check } = interactionPolicy;
  policy.get('consent')!.checks.remove('native_client_prompt');
  const login = policy.get('login')!;
  const session = (ctx: KoaContextWithOIDC) => sessionOf(gateway, readSignInCookie(ctx));
  login.checks.add(
    new Check('signed_out', 'End-User authentication is required', 'login_required', async (ctx) => {
      return (await session(ctx))?.identity.id !== ctx.oidc.session?.accountId;
    }),
  );
  login.checks.remove('max_age');
  login.checks.add(
    new Check('max_age', 'End-User authentication is too long ago', 'login_required', async (ctx) => {
      const maxAge = ctx.oidc.params?.[MAX_AGE_PARAMETER];
      // A sign-in that answers the prompt of this request is recent enough.
      if (maxAge === undefined || ctx.oidc.result?.login) return false;
      return ((await session(ctx))?.ageSeconds ?? Number.POSITIVE_INFINITY) > Number(maxAge);
    }),
  );
  // `mustSignInAgain` compares this session with the later one.
  login.details = async (ctx) => ({ session: (await session(ctx))?.id });
  return policy;
}
