/**
 * Returns a text in plain Latin letters. Replaces compatibility forms and look-alikes of other
 * scripts. Removes accents and invisible characters.
 */
export function plainLetters(text: string): string {
  if (ASCII.test(text)) return text;
  return text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]+/gu, '')
    .replace(/[^\0-\x7f]/gu, (letter) => LOOK_ALIKES.get(letter) ?? letter);
}

const ASCII = /^[\x20-\x7e]*$/;

/** Look-alikes from Unicode TR 39, but only letters that keyboards offer. */
const OTHERS = 'аавсԁеһіјкӏмноорԛгѕтуѵԝхАВЕЅІЈКМНОРСТУХαβεικνορστυχΑΒΕΙΚΜΝΟΡΤΥΧıɡɑʟøł';
const LATIN = 'aabcdehijklmhoopqrstyvwxABESIJKMHOPCTYXabeikvopstuxABEIKMNOPTYXigalol';
const LOOK_ALIKES = new Map(Array.from(OTHERS, (letter, index) => [letter, LATIN[index]!]));
