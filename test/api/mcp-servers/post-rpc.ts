/** Sends one JSON-RPC request to an MCP server with a bearer token. */
export async function postRpc(apiUrl: string, serverId: string, token: string, method = 'ping', params: object = {}) {
  const answer = await fetch(`${apiUrl}/mcp/srv_${serverId}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return {
    status: answer.status,
    challenge: answer.headers.get('www-authenticate'),
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
    body: (await answer.json()) as any,
  };
}
