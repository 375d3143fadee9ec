import { runCommand } from './admin/run-command.ts';

// npm run --silent admin -- COMMAND: the commands of an operator (contract decisions 6).
const { code, stdout, stderr } = await runCommand(process.argv.slice(2));
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = code;
