/**
 * Builds a program for the property test of the plan. The numbers of `tape` determine the program,
 * so that fast-check can shrink a failing program.
 */
export function makeProgram(tape: number[]): string {
  const draft: Draft = { tape, at: 0, names: 0, tags: 0, scope: { values: [], functions: [] }, depth: 0 };
  return Array.from({ length: 3 + pick(draft, 8) }, () => statement(draft)).join('\n');
}

/** Returns the number of the line with this tag, counted from 1, or 0 if no line has the tag. */
export function lineOfTag(program: string, tag: string): number {
  return program.split('\n').findIndex((line) => line.includes(`'${tag}'`)) + 1;
}

interface Draft {
  tape: number[];
  at: number;
  names: number;
  tags: number;
  scope: { values: string[]; functions: string[] };
  depth: number;
}

function pick(draft: Draft, count: number): number {
  return (draft.tape[draft.at++] ?? 0) % count;
}

function oneOf<T>(draft: Draft, ...choices: T[]): T {
  return choices[pick(draft, choices.length)]!;
}

function value(draft: Draft): string {
  const { values } = draft.scope;
  return values.length > 0 && pick(draft, 3) > 0
    ? values[pick(draft, values.length)]!
    : oneOf(draft, '"a"', '"b"', '1', 'true', 'null', 'undefined');
}

function expression(draft: Draft): string {
  draft.depth += 1;
  const inner = () => (draft.depth > 3 ? value(draft) : expression(draft));
  const made = [
    () => value(draft),
    () => `{ k: ${inner()}, l: ${inner()} }`,
    () => `{ ...${value(draft)}, k: ${inner()} }`,
    () => `{ [${inner()}]: ${inner()} }`,
    () => `[${inner()}, ${inner()}]`,
    () => `[...[${inner()}], ${inner()}]`,
    () => `\`t\${${inner()}}\``,
    () => `(${inner()} + ${inner()})`,
    () => `${value(draft)}?.k`,
    () => `${value(draft)}?.[0]`,
    () => `(${inner()} ?? ${inner()})`,
    () => `(${value(draft)} ? ${inner()} : ${inner()})`,
    () => `JSON.stringify(${inner()})`,
    () => `[${inner()}, 2].join("-")`,
    () => `{ get k() { return Math.random() } }`,
    () => `(() => (${inner()}))()`,
    () => `String(${inner()})`,
    () => (draft.scope.functions.length > 0 ? `${oneOf(draft, ...draft.scope.functions)}(${inner()}, ${inner()})` : inner()),
    () => (draft.scope.values.length > 0 ? `(${oneOf(draft, ...draft.scope.values)} = ${inner()})` : inner()),
  ][pick(draft, 19)]!();
  draft.depth -= 1;
  return made.startsWith('{') ? `(${made})` : made;
}

function call(draft: Draft): string {
  const target = oneOf(
    draft,
    'svc.mail.send',
    'svc.mail.read',
    'svc.my_files.put',
    'svc["my-files"].put',
    'svc.mail["send"]',
    'svc?.mail?.send',
  );
  return `await ${target}(${expression(draft)}, 't${draft.tags++}')`;
}

function block(draft: Draft): string {
  const outer = draft.scope;
  draft.scope = { values: [...outer.values], functions: [...outer.functions] };
  draft.depth += 1;
  const lines = Array.from({ length: 1 + pick(draft, 2) }, () => (draft.depth > 3 ? `${call(draft)};` : statement(draft)));
  draft.depth -= 1;
  draft.scope = outer;
  return `{\n${lines.join('\n')}\n}`;
}

function withParameters(draft: Draft, parameters: string[], make: () => string): string {
  const outer = draft.scope;
  draft.scope = { values: [...outer.values, ...parameters], functions: [...outer.functions] };
  const made = make();
  draft.scope = outer;
  return made;
}

function reassignedOrNot(draft: Draft, name: string): string {
  const declaration = `${oneOf(draft, 'const', 'let', 'var')} ${name} = 1;`;
  const change = oneOf(
    draft,
    `${name} = 2;`,
    `${name}++;`,
    `({ k: ${name} } = { k: 2 });`,
    `for (${name} of [2]) {}`,
    `void (() => { ${name} = 2; })();`,
  );
  const send = `await svc.mail.send(${name}, 't${draft.tags++}');`;
  const [first, second] = oneOf(draft, [send, `try { ${change} } catch {}`], [`try { ${change} } catch {}`, send]);
  return oneOf(draft, [declaration, first, second], [declaration, '{', first, second, '}'], [`try { ${send} } catch {}`, declaration]).join(
    '\n',
  );
}

function changedOrNot(draft: Draft, name: string): string {
  if (pick(draft, 6) === 0) return reassignedOrNot(draft, name);
  const object = `{ k: ${value(draft)}, l: { k: 1 }, m: [{ k: 2 }, { k: 3 }] }`;
  const [read, write] = [`void p.k;`, `p.k = 'changed';`];
  const use = oneOf(draft, read, write, write);
  const between = oneOf(
    draft,
    `{ const p = ${name}; ${use} }`,
    `{ const p = ${name}.l; ${use} }`,
    `{ const { l: p } = ${name}; ${use} }`,
    `{ const { l: { ...p } } = ${name}; ${use} }`,
    `{ const [, p] = ${name}.m; ${use} }`,
    `for (const p of ${name}.m) { ${use} }`,
    `for (const { k } of ${name}.m) { void k; }`,
    `${name}.m.forEach((p) => { ${use} });`,
    `${name}.m.filter((p) => p.k === 2).map((p) => { ${use} });`,
    `((p) => { ${use} })(${name});`,
    `const f${name} = (p) => { ${use} }; f${name}(${name}.l);`,
    `const g${name} = (p) => p; { const p = g${name}(${name}); ${use} }`,
    `function h${name}(p, q = p) { { const p = q; ${use} } } h${name}(${name});`,
    `{ const o = { ...${name} }; { const p = o.l; ${use} } }`,
    `{ const o = { ...${name} }; { const p = o; ${use} } }`,
    `{ const o = [${name}]; { const p = o[0]; ${use} } }`,
    `{ const o = { x: ${name} }; { const { x: p } = o; ${use} } }`,
    `{ const p = ${name} ?? {}; ${use} }`,
    `{ let p = {}; p = ${name}; ${use} }`,
    `Object.values(${name}).forEach((p) => { try { ${use} } catch {} });`,
    `{ const p = JSON.parse(JSON.stringify(${name})); ${use} }`,
    `{ const p = await Promise.resolve(${name}); ${use} }`,
    `${name}['m'].push(1);`,
    `${name}.m[0].k += 1;`,
    `${name}.m[${name}.m.length - 1].k++;`,
    `[${name}.l.k] = [9];`,
    `for (${name}.l.k of [7, 8]) {}`,
    `try { ${name} = { k: 'new', l: { k: 'new' }, m: [{ k: 'new' }] }; } catch {}`,
    `try { [${name}] = [{ k: 'new', l: {}, m: [] }]; } catch {}`,
    `{ const p = new (class { constructor(o) { this.o = o; } })(${name}).o; ${use} }`,
    `console.log(${name}); { const p = ((o) => ({ o }))(${name}).o; ${use} }`,
    `(() => { const p = arguments[1] ?? ${name}; ${use} })();`,
  );
  const sent = oneOf(
    draft,
    name,
    `{ x: ${name} }`,
    `{ ...${name} }`,
    `${name}.l`,
    `{ x: ${name}.m }`,
    `\`\${JSON.stringify(${name})}\``,
    `[...${name}.m]`,
    `${name}.m[0]`,
  );
  const send = `await svc.mail.send(${sent}, 't${draft.tags++}');`;
  const declaration = `${oneOf(draft, 'const', 'const', 'let', 'var')} ${name} = ${object};`;
  const order = oneOf(
    draft,
    [declaration, between, send],
    [declaration, send, between],
    [declaration, `for (let i = 0; i < 2; i++) {`, send, between, `}`],
    [`try { ${send} } catch {}`, declaration, between],
  );
  return order.join('\n');
}

function statement(draft: Draft): string {
  const { values, functions } = draft.scope;
  const name = `n${draft.names++}`;
  const known = () => oneOf(draft, ...values, 'n0');
  const made = [
    () => `${call(draft)};`,
    () => changedOrNot(draft, name),
    () => changedOrNot(draft, name),
    () => changedOrNot(draft, name),
    () => `const ${name} = ${expression(draft)};`,
    () => `const ${name} = ${expression(draft)};`,
    () => `${oneOf(draft, 'let', 'var')} ${name} = ${expression(draft)};`,
    () => `const { k: ${name} } = ${value(draft)} ?? {};`,
    () => `const [${name}] = [${expression(draft)}];`,
    () => `try { ${known()}.k = ${expression(draft)}; } catch {}`,
    () => `try { ${known()} = ${expression(draft)}; } catch {}`,
    () => `try { delete ${known()}.k; } catch {}`,
    () => `try { Object.assign(${known()}, ${expression(draft)}); } catch {}`,
    () => `try { ${known()}.push?.(${expression(draft)}); } catch {}`,
    () => `if (${value(draft)}) ${block(draft)} else ${block(draft)}`,
    () => `for (const ${name} of [${expression(draft)}, ${expression(draft)}]) ${withParameters(draft, [name], () => block(draft))}`,
    () => `for (const { k: ${name} } of [${expression(draft)}, {}]) ${withParameters(draft, [name], () => block(draft))}`,
    () => `for (let i${name} = 0; i${name} < 2; i${name}++) ${block(draft)}`,
    () => `try ${block(draft)} catch (${name}) ${block(draft)}`,
    () =>
      `await Promise.all([${expression(draft)}, 3].map(async (${name}, i${name}) => ${withParameters(draft, [name, `i${name}`], () => block(draft))}));`,
    () => `await Promise.all([${expression(draft)}].map(async function (${name}) ${withParameters(draft, [name], () => block(draft))}));`,
    () =>
      `const ${name} = ${oneOf(draft, 'svc.mail', 'svc.my_files')};\nawait ${name}.${oneOf(draft, 'send', 'put')}?.(${expression(draft)}, 't${draft.tags++}');`,
    () => `const { send: ${name} } = svc.mail;\nawait ${name}(${expression(draft)}, 't${draft.tags++}');`,
    () => `{\nconst svc = { mail: { send() {} } };\nawait svc.mail.send(1);\n}`,
    () => `await (async (svc) => ${block(draft)})(${oneOf(draft, 'svc', '{}')});`,
    () => `await (async (api) => {\nawait api.send(${expression(draft)}, 't${draft.tags++}');\n})(svc.mail);`,
    () => `${oneOf(draft, '["x", "y"].forEach(svc.mail.send)', '[svc.mail.read].map((f) => f({}))', '({ m: svc.mail }).m.send({})')};`,
    () =>
      `${oneOf(draft, 'eval("svc.mail.send(7)")', '(0, svc.mail).read({})', 'svc[["ma", "il"].join("")].read({})', 'with (svc.mail) { read({}) }')};`,
    () => `var svc2 = svc.mail; svc2.read({}, 't${draft.tags++}');`,
    () => `const ${name} = (p, q) => (${withParameters(draft, ['p', 'q'], () => expression(draft))});`,
    () => `async function ${name}(p, q = ${expression(draft)}) ${withParameters(draft, ['p', 'q'], () => block(draft))}`,
    () => `const ${name} = async ({ k: p, ...q } = {}) => ${withParameters(draft, ['p', 'q'], () => block(draft))};`,
    () =>
      `class ${name}C { static async go(p) ${withParameters(draft, ['p'], () => block(draft))} }\nawait ${name}C.go(${expression(draft)});`,
    () => `{\nasync function ${name}() ${block(draft)}\nawait ${name}();\n}`,
  ];
  const chosen = pick(draft, made.length);
  const text = made[chosen]!();
  if (chosen > 0 && chosen < 9) values.push(name);
  if (chosen >= 29 && chosen <= 31) {
    if (chosen === 29) functions.push(name);
    const calls = Array.from({ length: pick(draft, 3) }, () => `await ${name}(${expression(draft)});`);
    if (pick(draft, 6) === 0) calls.push(`await Promise.all([1, 2].map(${name}));`);
    return [text, ...calls].join('\n');
  }
  return text;
}
