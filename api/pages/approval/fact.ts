/** One row of the facts about a request. `code` is an exact name or id. */
export interface Fact {
  name: string;
  words?: string | undefined;
  code?: string | null | undefined;
}
