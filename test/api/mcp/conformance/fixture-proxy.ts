import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ALIAS } from './fixtures.ts';

const PREFIX = `${ALIAS}__`;

export interface FixtureProxy {
  url: string;
  close(): void;
}

/**
 * Opens a proxy that adds the token of an MCP server to requests. Tool names have the alias in
 * calls to the server, but not in answers to the client.
 */
export async function openFixtureProxy(target: { url: string; token: string }): Promise<FixtureProxy> {
  const server = createServer(async (request, response) => {
    const { body, name } = withAlias(await text(request));
    const { 'mcp-name': named } = request.headers;
    const sent = {
      ...request.headers,
      ...(name !== undefined && named === name && { 'mcp-name': PREFIX + name }),
      authorization: `Bearer ${target.token}`,
      'content-length': Buffer.byteLength(body),
    };
    const upstream = forward(target.url, { method: request.method, headers: sent }, (answer) => {
      const { 'content-length': _, ...kept } = answer.headers;
      response.writeHead(answer.statusCode!, kept);
      answer.on('data', (chunk: Buffer) => response.write(chunk.toString().replaceAll(PREFIX, '')));
      answer.on('end', () => response.end());
    });
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    upstream.end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function withAlias(body: string): { body: string; name?: string } {
  try {
    const message = JSON.parse(body);
    const { name } = message.params;
    if (message.method !== 'tools/call' || typeof name !== 'string') return { body };
    return { body: JSON.stringify({ ...message, params: { ...message.params, name: PREFIX + name } }), name };
  } catch {
    return { body };
  }
}
