import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TSC = new URL('../../node_modules/.bin/tsc', import.meta.url).pathname;

/**
 * The errors that the TypeScript compiler reports for each program, by name. Programs without
 * errors are absent. A line under `@ts-expect-error` must contain an error.
 */
export async function typescriptComplaints(programs: Readonly<Record<string, string>>): Promise<Record<string, string[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'programs-'));
  try {
    const names = Object.keys(programs);
    await Promise.all(names.map((name, index) => writeFile(join(folder, `p${index}.ts`), `${programs[name]}\nexport {};\n`)));
    const config = { compilerOptions: OPTIONS, include: ['*.ts'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const said = await tsc(folder);
    const lines = [...said.matchAll(/^p(\d+)\.ts\((\d+),\d+\): (.*(?:\n .*)*)/gm)];
    if (said !== '' && lines.length === 0) throw new Error(said);
    const found: Record<string, string[]> = {};
    for (const [, index, line, message] of lines) {
      const name = names[Number(index)]!;
      found[name] = [...(found[name] ?? []), `${line}: ${message}`];
    }
    return found;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const OPTIONS = { noEmit: true, strict: true, target: 'es2024', module: 'esnext', moduleDetection: 'force', types: [], skipLibCheck: true };

function tsc(folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [TSC, '--pretty', 'false', '-p', folder], { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) =>
      error && typeof error.code !== 'number' ? reject(error) : resolve(stdout),
    );
  });
}
