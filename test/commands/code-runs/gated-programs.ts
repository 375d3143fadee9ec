/** One case of the property test of enforcement: a program, policies and a change. */
export interface GatedCase {
  /** Part of every input, so that the third party knows which program caused an effect. */
  tag: string;
  program: string;
  policies: PolicySpec[];
  change: Change;
  /** The change happens at the first or second wait for a decision. */
  changeAtWait: 1 | 2;
  /** The answer of `read`, before and after the change. */
  world: [Answer, Answer];
}

/** The fields of a policy that a case can choose. */
export interface PolicySpec {
  decision: 'require_approval' | 'block' | 'auto_approve' | 'notify_only';
  priority: number;
  actionNames: string[];
  integrationAliases: string[];
  /** Null: the policy matches every input. */
  amountFrom: number | null;
}

/** What the action `read` returns to the program. */
export interface Answer {
  name: string;
  amount: number;
  op: 'pay' | 'send';
}

const CHANGES = [
  ...(['none', 'none', 'none', 'race', 'world', 'code', 'default', 'enforced', 'settings', 'account', 'reconnect'] as const),
  ...(['alias removed', 'alias taken', 'action disabled', 'asks another', 'blocks', 'policy gone'] as const),
] as const;
export type Change = (typeof CHANGES)[number];

/** Makes a case. `index` determines its tag and its change, `tape` everything else. */
export function makeGatedCase(tape: readonly number[], index: number): GatedCase {
  const draft: Draft = { tape, at: 0, names: 0, tag: `p${index}` };
  const [before, after] = [anAnswer(draft), anAnswer(draft)];
  return {
    tag: draft.tag,
    change: CHANGES[index % CHANGES.length]!,
    changeAtWait: pick(draft, 4) === 0 ? 2 : 1,
    world: [before, after],
    policies: Array.from({ length: 1 + pick(draft, 3) }, () => aPolicy(draft)),
    program: Array.from({ length: 1 + pick(draft, 4) }, () => statement(draft)).join('\n'),
  };
}

interface Draft {
  tape: readonly number[];
  at: number;
  names: number;
  tag: string;
}

function pick(draft: Draft, count: number): number {
  return (draft.tape[draft.at++] ?? 0) % count;
}

function oneOf<T>(draft: Draft, ...choices: T[]): T {
  return choices[pick(draft, choices.length)]!;
}

function anAnswer(draft: Draft): Answer {
  return { name: oneOf(draft, 'ann', 'bob'), amount: oneOf(draft, 1, 20, 20), op: oneOf(draft, 'pay', 'send') };
}

function aPolicy(draft: Draft): PolicySpec {
  return {
    decision: oneOf(
      draft,
      'require_approval',
      'require_approval',
      'require_approval',
      'require_approval',
      'require_approval',
      'block',
      'auto_approve',
      'notify_only',
    ),
    priority: oneOf(draft, 10, 50, 50, 100),
    actionNames: oneOf(draft, ['pay'], ['send'], ['pay', 'send'], []),
    integrationAliases: oneOf(draft, [], [], ['bank'], ['spare-bank']),
    amountFrom: oneOf(draft, null, null, 10),
  };
}

function call(draft: Draft): string {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: part of the program
  const to = oneOf(draft, "'ann'", "'bob'", '`${names[0]}`', 'names[0]');
  const amount = oneOf(draft, '5', '20', '4 * 5', 'limits.low', 'limits.high');
  const target = oneOf(draft, 'svc.bank', 'svc.bank', 'svc["spare-bank"]', 'svc.spare_bank', 'bank');
  const input = oneOf(
    draft,
    `{ tag, to: ${to}, amount: ${amount} }`,
    `{ ...base, amount: ${amount} }`,
    `make(${to}, ${amount})`,
    '{ tag, to: (await known()).name, amount: (await known()).amount }',
  );
  return oneOf(draft, `${target}.pay(${input})`, `${target}.pay(${input})`, `${target}.send({ tag, to: ${to} })`);
}

const HEAD = (tag: string) => `const tag = '${tag}';
const [names, limits] = [['ann'], { low: 5, high: 20 }];
const base = { tag, to: 'bob' };
const bank = svc.bank;
const make = (to, amount) => ({ tag, to, amount });
const known = () => svc.bank.read({ tag });`;

function statement(draft: Draft): string {
  const name = `n${draft.names++}`;
  const first = draft.names === 1 ? `${HEAD(draft.tag)}\n` : '';
  const one = call(draft);
  const made = oneOf(
    draft,
    () => `await ${one};`,
    () => `await ${one};`,
    () => `const ${name} = await ${one};\nconsole.log(${name}.effect);`,
    () => `await ${one};\nawait ${one};`,
    () => `await Promise.all([${one}, ${call(draft)}]);`,
    () => `await Promise.allSettled([${one}, ${call(draft)}, ${one}]);`,
    () => `try { await ${one} } catch (error) { console.log(error.code) }`,
    () => `for (const to of ['ann', 'bob']) await svc.bank.pay({ tag, to, amount: 20 });`,
    () => `for (let i = 0; i < 2; i += 1) await ${one};`,
    () => `if ((await known()).amount > 10) await ${one};\nelse await ${call(draft)};`,
    () =>
      `const ${name} = async (api, amount) => api.pay({ tag, to: 'ann', amount });\nawait ${name}(svc.bank, 20);\nawait ${name}(bank, 5);`,
    () => `const { pay: ${name} } = svc['spare-bank'];\nawait ${name}({ tag, to: 'ann', amount: 20 });`,
    () => `const ${name} = await known();\nawait svc.bank[${name}.op]({ tag, to: ${name}.name });`,
    () =>
      `const ${name} = await known();\nawait [svc.bank, svc.spare_bank][${name}.amount > 10 ? 1 : 0].pay({ tag, to: ${name}.name, amount: 20 });`,
    () => `await Promise.all(['ann', 'bob'].map((to) => svc.bank.pay({ tag, to, amount: 20 })));`,
    () => `await new Promise((done) => setTimeout(done, 1));\nawait ${one};`,
  );
  return `${first}${made()}`;
}
