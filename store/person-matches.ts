/** The same expression as in the index `end_users_search`. */
const SEARCHED = "external_id || ' ' || coalesce(display_name, '') || ' ' || coalesce(email, '')";

/** The index holds parts of three characters. */
const INDEXED_LENGTH = 3;

/**
 * The condition that an end user of `:orgId` has `:text` in the external id, the name or the e-mail
 * address, in any case. A text of one or two characters is in most names, so it is compared with
 * each person.
 */
export function personMatches(text: string): string {
  const compared = `strpos(lower(${SEARCHED}), lower(:text)) > 0`;
  return [...text].length < INDEXED_LENGTH
    ? compared
    : `(search_parts(org_id, ${SEARCHED}) @> search_parts(:orgId, :text) and ${compared})`;
}
