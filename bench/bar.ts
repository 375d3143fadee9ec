/** One round of a load: how much was done, and how long each took. */
export interface Round {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** A row of the table that `npm run bench` prints. */
export interface Bar {
  bar: string;
  measured: string;
  reference: string;
  ratio: string;
  goal: string;
  /** Void where the reference itself varied by more than 40 %. */
  pass: 'yes' | 'no' | 'void';
  'reference spread': string;
}

const ROUNDS = 5;
const MAX_SPREAD = 0.4;

/** Measures ours and the reference in turns, after a warm-up of both; answers the rounds of each. */
export async function inTurns(ours: () => Promise<Round>, reference: () => Promise<Round>): Promise<{ ours: Round[]; reference: Round[] }> {
  await ours();
  await reference();
  const rounds = { ours: [] as Round[], reference: [] as Round[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.ours.push(await ours());
    rounds.reference.push(await reference());
  }
  return rounds;
}

/** The row for rounds whose rate must be at least `goal` × of the reference's. */
export function rateBar(bar: string, goal: number, { ours, reference }: { ours: Round[]; reference: Round[] }): Bar {
  const rates = { ours: ours.map(({ perSecond }) => perSecond), reference: reference.map(({ perSecond }) => perSecond) };
  return row(bar, rates, { unit: '/s', goal: `≥ ${goal}`, holds: (ratio) => ratio >= goal });
}

/** The row for times that must be at most `goal` × of the reference's. */
export function timeBar(bar: string, goal: number, times: { ours: number[]; reference: number[] }, unit = 'ms'): Bar {
  return row(bar, times, { unit: ` ${unit}`, goal: `≤ ${goal}`, holds: (ratio) => ratio <= goal });
}

interface Verdict {
  unit: string;
  goal: string;
  holds(ratio: number): boolean;
}

function row(bar: string, values: { ours: number[]; reference: number[] }, { unit, goal, holds }: Verdict): Bar {
  const [measured, reference] = [median(values.ours), median(values.reference)];
  const spread = (Math.max(...values.reference) - Math.min(...values.reference)) / reference;
  return {
    bar,
    measured: shown(measured) + unit,
    reference: shown(reference) + unit,
    ratio: (measured / reference).toFixed(2),
    goal,
    pass: spread > MAX_SPREAD ? 'void' : holds(measured / reference) ? 'yes' : 'no',
    'reference spread': `${Math.round(spread * 100)} %`,
  };
}

/** The middle value. */
export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function shown(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}
