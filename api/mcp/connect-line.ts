/** Text that tells the agent to pass the connect link on. */
export function connectLine(connectUrl: string): string {
  return `Give the user this link to connect the account, then call again: ${connectUrl}`;
}
