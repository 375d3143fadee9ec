/** The state of an approval or a run, in words. */
export interface ShownState {
  tone: 'waiting' | 'good' | 'bad' | 'quiet';
  label: string;
  sentence: string;
}
