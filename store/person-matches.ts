/** Must equal the expression of the index `end_users_search`. */
const SEARCHED = "external_id || ' ' || coalesce(display_name, '') || ' ' || coalesce(email, '')";

/** The length of the parts in the index, in characters. */
const INDEXED_LENGTH = 3;

/**
 * SQL condition: an end user has `:text` in the external id, the name or the e-mail address,
 * ignoring case. The caller must also compare the organization: here, `:orgId` serves the index.
 */
export function personMatches(text: string): string {
  const compared = `strpos(lower(${SEARCHED}), lower(:text)) > 0`;
  return [...text].length < INDEXED_LENGTH
    ? compared
    : `(search_parts(org_id, ${SEARCHED}) @> search_parts(:orgId, :text) and ${compared})`;
}
