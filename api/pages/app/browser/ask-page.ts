/** Marks a request that a page sends by itself, which does not count as use of the session. */
export const REFRESH: RequestInit = { headers: { 'X-Refresh': '1' } };

/** Resolves for every status. Rejects if no answer arrives. */
export async function askPage(url: string, init: RequestInit = {}): Promise<{ answer: Response; page: Document }> {
  const answer = await fetch(url, init);
  return { answer, page: new DOMParser().parseFromString(await answer.text(), 'text/html') };
}

/** The fields of a form as a browser would send them, including the pressed button. */
export function fieldsOf(form: HTMLFormElement, button?: HTMLElement | null): URLSearchParams {
  return new URLSearchParams([...new FormData(form, button)] as [string, string][]);
}
