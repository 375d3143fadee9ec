import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** The reference for tools/call: the SDK's stateless server with one echo tool. Prints its port. */
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: z.object({ dateString: z.string() }) }, ({ dateString }) => ({
    content: [{ type: 'text', text: dateString }],
  }));
  return server;
});
const server = createServer(toNodeHandler(handler)).listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
