# One image for the API, the worker and the migrations; which of them it is, the command says.
FROM node:24-slim

ENV NODE_ENV=production
WORKDIR /app

COPY package.json package-lock.json ./
RUN npm ci --omit=dev && npm cache clean --force

COPY . .
RUN node worker/bundle-workflows.ts workflows.js
ENV WORKFLOW_BUNDLE=/app/workflows.js

# Run it with an init as the first process (docker run --init; docker-compose.yml has init: true).
USER node
EXPOSE 8080
CMD ["node", "api/main.ts"]
