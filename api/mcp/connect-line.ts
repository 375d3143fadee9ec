/** A connect link, for the agent to pass on, since many clients show it only the text. */
export function connectLine(connectUrl: string): string {
  return `Give the user this link to connect the account, then call again: ${connectUrl}`;
}
