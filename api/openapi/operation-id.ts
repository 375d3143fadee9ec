/**
 * `post /api/v1/mcp/servers/{id}/tools` → `postMcpServersIdTools`. The id changes only with the
 * method or the path.
 */
export function operationId(method: string, path: string): string {
  const words = path
    .replace('/api/v1/', '')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  return method + words.map(capitalized).join('');
}

export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
