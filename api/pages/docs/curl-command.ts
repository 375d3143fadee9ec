/** An API call. Calls with `isPublic` take no API key. */
export interface Command {
  method: string;
  url: string;
  isPublic: boolean;
  body: unknown;
}

/** A call as a curl command with the API key in a variable. `try.js` does the same for forms. */
export function curlCommand({ method, url, isPublic, body }: Command): string {
  const lines = [`curl -X ${method.toUpperCase()} ${quoted(url)}`];
  if (!isPublic) lines.push('-H "Authorization: Bearer $API_KEY"');
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
