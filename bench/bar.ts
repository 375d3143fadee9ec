/** One round of load: throughput and latencies. */
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
  /** Whether the goal was met. `void` if the reference varied by more than 40 %. */
  pass: 'yes' | 'no' | 'void';
  'reference spread': string;
}

const ROUNDS = 5;
const MAX_ROUNDS = 10;
const MAX_SPREAD = 0.4;

/** Rounds of the service and of the reference, measured alternately. */
export interface Rounds<Value> {
  ours: Value[];
  reference: Value[];
}

/** Measures the service and the reference alternately, after a warm-up of both. */
export async function inTurns(ours: () => Promise<Round>, reference: () => Promise<Round>): Promise<Rounds<Round>> {
  return steadyRounds(
    async () => ({ ours: await ours(), reference: await reference() }),
    ({ perSecond }) => perSecond,
  );
}

/**
 * Measures rounds after a warm-up, and returns the last five. Stops when the reference values of
 * the last five vary by at most 40 %, or after ten rounds.
 */
export async function steadyRounds<Value>(
  round: () => Promise<{ ours: Value; reference: Value }>,
  figureOf: (value: Value) => number,
): Promise<Rounds<Value>> {
  await round();
  const rounds: Rounds<Value> = { ours: [], reference: [] };
  for (let count = 1; count <= MAX_ROUNDS; count += 1) {
    const { ours, reference } = await round();
    rounds.ours.push(ours);
    rounds.reference.push(reference);
    if (count < ROUNDS) continue;
    if (count > ROUNDS) {
      rounds.ours.shift();
      rounds.reference.shift();
    }
    if (spreadOf(rounds.reference.map(figureOf)) <= MAX_SPREAD) break;
  }
  return rounds;
}

/** The row for a throughput of at least `goal` times the reference. */
export function rateBar(bar: string, goal: number, { ours, reference }: { ours: Round[]; reference: Round[] }): Bar {
  const rates = { ours: ours.map(({ perSecond }) => perSecond), reference: reference.map(({ perSecond }) => perSecond) };
  return row(bar, rates, { unit: '/s', goal: `≥ ${goal}`, holds: (ratio) => ratio >= goal });
}

/** The row for a duration of at most `goal` times the reference. */
export function timeBar(bar: string, goal: number, times: { ours: number[]; reference: number[] }, unit = 'ms'): Bar {
  return row(bar, times, { unit: ` ${unit}`, goal: `≤ ${goal}`, holds: (ratio) => ratio <= goal });
}

/** The row for a figure of at most `goal` on any machine. */
export function goalBar(bar: string, goal: number, figures: number[], unit: string): Bar {
  return { ...timeBar(bar, 1, { ours: figures, reference: [goal] }, unit), goal: `≤ ${goal} ${unit}` };
}

/** The row for a throughput of at least `goal` per second on any machine. */
export function rateGoalBar(bar: string, goal: number, figures: number[]): Bar {
  const rates = { ours: figures, reference: [goal] };
  return row(bar, rates, { unit: '/s', goal: `≥ ${goal}/s`, holds: (ratio) => ratio >= 1 });
}

interface Verdict {
  unit: string;
  goal: string;
  holds(ratio: number): boolean;
}

function row(bar: string, values: { ours: number[]; reference: number[] }, { unit, goal, holds }: Verdict): Bar {
  const [measured, reference] = [median(values.ours), median(values.reference)];
  const spread = spreadOf(values.reference);
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

/** The range of values, as a share of their median. */
function spreadOf(values: number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

/** For an even number of values, the upper of the two middle values. */
export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function shown(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}
