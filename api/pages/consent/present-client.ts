import type Provider from 'oidc-provider';
import { mixesAlphabets } from '../../../domain/oauth/client-name.ts';
import { isLoopbackHost } from '../../../domain/oauth/redirect-uri.ts';

type Client = NonNullable<Awaited<ReturnType<Provider['Client']['find']>>>;

/** A client on the consent page. Clients choose their own name, but not their addresses. */
export interface ClientView {
  name: string;
  /** Whether the name mixes alphabets, like names that imitate another name. */
  isDoubtful: boolean;
  /** Host of the client's metadata document. */
  knownBy: string | undefined;
  goesTo: string;
}

/** Prepares a client for the consent page. */
export function presentClient(client: Client, redirectUri: string): ClientView {
  const name = client.clientName ?? 'A client without a name';
  return { name, isDoubtful: mixesAlphabets(name), knownBy: hostOf(client.clientId), goesTo: destination(redirectUri) };
}

function hostOf(clientId: string): string | undefined {
  return clientId.startsWith('https://') ? new URL(clientId).host : undefined;
}

function destination(redirectUri: string): string {
  if (!URL.canParse(redirectUri)) return 'the device that shows the code';
  const { protocol, hostname, host } = new URL(redirectUri);
  if (isLoopbackHost(hostname)) return 'a program on this computer';
  return protocol === 'https:' || protocol === 'http:' ? host : `an app on this device (${protocol}//)`;
}
