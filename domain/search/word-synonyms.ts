import { stemOf } from './word-stems.ts';

/** Returns the stems of the synonyms of a stem, without the stem itself. */
export function synonymsOf(stem: string): readonly string[] {
  synonyms ??= tabulate(GROUPS);
  return synonyms.get(stem) ?? [];
}

/** Whether this word or stem means deleting. */
export function isDeletionWord(word = ''): boolean {
  const stem = stemOf(word);
  return stem === DELETION || synonymsOf(DELETION).includes(stem);
}

/** Words without meaning for the search. */
export const FILLERS: ReadonlySet<string> = new Set(
  `a an and any are as at be been by can could do does doing for from had has have help here how i if in into is it its let lets me my need
  of on or our out please s should so some somebody someone something t that the their them then there these this those to up us use using
  via want was we were what when where which who will with would you your`.split(/\s+/),
);

/** One group per line. A word can be in several groups. */
const GROUPS = `
get read fetch retrieve load show view see obtain recall download
find search lookup look query locate discover
list enumerate all browse every show
create add make new insert open register build start
write save store put keep persist record set upload
update edit change modify patch rename alter replace
delete remove erase drop clear destroy forget purge wipe rm
send post deliver publish notify
append add push extend
run execute evaluate eval launch
calculate compute math
convert transform reshape map translate
merge combine join unite
split batch chunk divide
take remove revoke withdraw
give grant assign add
draw generate create paint render
speak say speech voice talk audio
ask prompt question chat
remember memory
read parse
copy upload put
scrape crawl fetch extract
user person people member account
file document attachment
folder directory bucket
picture image photo
page site website webpage
url link address
repository repo
issue ticket bug
message dm chat
sms text
date time day
hash digest checksum sha256
identifier id uuid guid
channel room
comment reply
note page notes
reaction emoji react
balance money credit
phone mobile
program script code
several multiple many
vector embedding
history log past
contact subscriber
rest http api
`;

const DELETION = stemOf('delete');

/** Built on first use, because not every process searches. */
let synonyms: Map<string, readonly string[]> | undefined;

/** All words that have synonyms. */
export const SYNONYM_WORDS: readonly string[] = GROUPS.trim().split(/\s+/);

function tabulate(groups: string): Map<string, readonly string[]> {
  const sets = new Map<string, Set<string>>();
  for (const line of groups.trim().split('\n')) {
    const stems = line.split(' ').map(stemOf);
    for (const stem of stems) sets.set(stem, new Set([...(sets.get(stem) ?? []), ...stems]));
  }
  return new Map([...sets].map(([stem, others]) => [stem, [...others].filter((other) => other !== stem)]));
}
