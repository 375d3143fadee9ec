import { readConfig, SetupError } from '../infra/config.ts';
import { readAddresses } from '../standalone/addresses.ts';
import { readArguments } from './arguments.ts';
import { connectAgent } from './connect-agent.ts';
import { openGatewayApi } from './gateway-api.ts';
import { openPartner } from './partner.ts';
import { prepare } from './prepare.ts';
import { PROGRAM } from './program.ts';

/**
 * npm run demo: the main job, on the running system. An agent's program writes a file, hashes it and sends a report; the sending is
 * gated, so the run pauses until a person decides on the approval page (or --decide does it through the API), and then goes on.
 */
async function main(): Promise<void> {
  const args = readArguments(process.argv.slice(2));
  const config = readConfig();
  const addresses = readAddresses(config.dataDir);
  const api = await openGatewayApi(args.url ?? addresses?.apiUrl ?? config.baseUrl, args.key);
  const partner = await openPartner();
  try {
    say('Making a workspace, integrations, an MCP server in each mode and a policy that gates sending');
    const scene = await prepare(api, partner.url);

    const tools = await connectAgent(scene.toolsServer);
    say(`An agent on the TOOLS server sees ${(await tools.listTools()).tools.length} tools and calls one:`);
    show(
      (await tools.callTool({ name: 'datetime__format_date', arguments: { date: new Date().toISOString(), format: 'long' } }))
        .structuredContent,
    );
    await tools.close();

    const agent = await connectAgent(scene.codeServer);
    say('An agent on the CODE server runs a program:');
    console.log(PROGRAM(scene.target).replace(/^/gm, '    '));
    const paused = await execute(agent, { code: PROGRAM(scene.target) });
    if (paused.status !== 'approval_required') throw new Error(`the run did not pause: ${JSON.stringify(paused)}`);
    const approvalId: string = paused.approval.id;
    say('The run is paused at the gate. Nothing has been sent.');
    say(`Approval page   ${paused.approval.hostedApprovalUrl}`);
    if (addresses?.temporalUi)
      say(
        `Temporal UI     ${addresses.temporalUi}/namespaces/${config.temporal.namespace}/workflows?query=${encodeURIComponent(`GatewayApprovals = "${approvalId}"`)}`,
      );

    if (args.decide) {
      say(`Deciding through the API: ${args.decide}`);
      await api.post(`/api/v1/approvals/${approvalId}/${args.decide}`, { reason: 'decided by the demo' });
    } else {
      say('Open the approval page and decide; the agent waits …');
    }

    let ended = await execute(agent, { approvalId, waitForApprovalSeconds: 60 });
    while (ended.status === 'approval_pending') ended = await execute(agent, { approvalId, waitForApprovalSeconds: 60 });
    await agent.close();

    say(`The run ended: ${ended.status}`);
    show(ended.status === 'executed' ? ended.output : ended.error);
    const { approval } = await api.get(`/api/v1/approvals/${approvalId}`);
    say(ended.status === 'executed' ? 'The receipt: what was approved, by whom, and when it was used.' : 'What the approval says:');
    show({
      id: approval.id,
      status: approval.status,
      decidedByType: approval.decidedByType,
      decisionReason: approval.decisionReason,
      decidedAt: approval.decidedAt,
      consumedAt: approval.consumedAt,
      inputHash: approval.inputHash,
    });
    if (partner.received.length > 0) say(`The partner received: ${partner.received.join(', ')}`);
  } finally {
    await partner.close();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the shapes are the interface's, printed as they come
type Result = any;

async function execute(agent: Awaited<ReturnType<typeof connectAgent>>, request: Record<string, unknown>): Promise<Result> {
  const { structuredContent } = await agent.callTool({ name: 'svc_execute', arguments: request }, { timeout: 120_000 });
  return structuredContent;
}

function say(line: string): void {
  console.log(`\n${line}`);
}

function show(value: unknown): void {
  console.log(JSON.stringify(value, null, 2).replace(/^/gm, '    '));
}

try {
  await main();
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  process.exit(1);
}
