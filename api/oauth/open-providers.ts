import type Provider from 'oidc-provider';
import type { Gateway } from '../../commands/gateway.ts';
import { readOAuthKeys } from '../../commands/oauth/oauth-keys.ts';

interface OpenedProvider {
  provider: Provider;
  handle: ReturnType<Provider['callback']>;
}

/** Gives access to the authorization server with its current keys. */
export interface OAuthProviders {
  current(): Promise<OpenedProvider>;
}

/**
 * Time in ms after which the keys are read again. A new key begins to sign an hour after its
 * publication (`OAUTH_KEY_SECONDS`), unless it replaces a leaked key.
 */
const RELOAD_MS = 30_000;

/**
 * Opens the authorization server at the first request that needs it, because the library takes
 * megabytes of memory. Opens the authorization server again after its keys were replaced, because
 * the library accepts no new keys later.
 */
export function openProviders(gateway: Gateway): OAuthProviders {
  let opened: (OpenedProvider & { version: string }) | undefined;
  let reading: Promise<OpenedProvider> | undefined;
  let freshUntil = 0;

  async function read(): Promise<OpenedProvider> {
    const keys = await readOAuthKeys(gateway);
    if (opened?.version !== keys.version) {
      const { openProvider } = await import('./open-provider.ts');
      const provider = openProvider(gateway, keys);
      opened = { provider, handle: provider.callback(), version: keys.version };
    }
    freshUntil = performance.now() + RELOAD_MS;
    return opened;
  }

  return {
    current: async () => {
      if (opened && performance.now() < freshUntil) return opened;
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
  };
}
