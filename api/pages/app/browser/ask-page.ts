/** Marks a request of a live part, which does not count as use of the session. */
export const REFRESH: RequestInit = { headers: { 'X-Refresh': '1' } };

/** An answer of the service and the page in it. Rejects without an answer. */
export async function askPage(url: string, init: RequestInit = {}): Promise<{ answer: Response; page: Document }> {
  const answer = await fetch(url, init);
  return { answer, page: new DOMParser().parseFromString(await answer.text(), 'text/html') };
}

/** The fields of a form as a browser sends them, with the button that sends it. */
export function fieldsOf(form: HTMLFormElement, button?: HTMLElement | null): URLSearchParams {
  return new URLSearchParams([...new FormData(form, button)] as [string, string][]);
}
