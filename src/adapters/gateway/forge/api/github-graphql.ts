import {
  buildSchema,
  getArgumentValues,
  getVariableValues,
  OverlappingFieldsCanBeMergedRule,
  parse,
  print,
  specifiedRules,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from "graphql";
import type { DocumentNode, FieldNode, GraphQLSchema, OperationDefinitionNode, VariableValues } from "graphql";
import { z } from "zod";
import { checkText } from "./check-draft.ts";
import { parseBody, Refusal, requireTaskBranch } from "./api-request.ts";
import { GITHUB_SCHEMA } from "./github-schema.ts";
import type { ProjectRules } from "./project-rules.ts";

/** More than the largest query of `gh`, which has about 500. */
const MAX_TOKENS = 3000;
/** Without the rule about fields of the same name with different types: GitHub does not apply it, and `gh` needs that. */
const RULES = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);

const graphqlBody = z.strictObject({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
  extensions: z.object({}).nullish(),
});

let builtSchema: GraphQLSchema | undefined;

/** Returns the body to send: the query as it was checked, in which every `repository` and `node` belongs to the project. */
export async function checkGraphql(body: string, rules: ProjectRules): Promise<string> {
  const request = graphqlBody.safeParse(parseBody(body));
  if (!request.success) throw new Refusal("the body is not one GraphQL request");
  const schema = (builtSchema ??= buildSchema(GITHUB_SCHEMA));
  const document = parseQuery(request.data.query);
  const operation = findOperation(document);
  const [problem] = validate(schema, document, RULES, { maxErrors: 1 });
  if (problem !== undefined) throw new Refusal(`this query is not allowed here: ${problem.message}`);
  const { errors, variableValues } = getVariableValues(
    schema,
    operation.variableDefinitions ?? [],
    request.data.variables ?? {},
    { maxErrors: 1 },
  );
  if (variableValues === undefined) throw new Refusal(errors?.[0]?.message ?? "the variables are invalid");
  for (const { name, args } of findRootFields(schema, document, variableValues))
    await checkRootField(name, args, rules);
  return JSON.stringify({ query: print(withoutParents(document)), variables: variableValues.coerced });
}

function parseQuery(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: MAX_TOKENS, noLocation: true });
  } catch (error) {
    throw new Refusal(error instanceof Error ? error.message : "the query is invalid");
  }
}

/** Exactly one, so that the checks and the forge cannot choose different ones. */
function findOperation(document: DocumentNode): OperationDefinitionNode {
  const operations = document.definitions.filter((each) => each.kind === "OperationDefinition");
  const [operation] = operations;
  if (operation === undefined || operations.length !== 1) throw new Refusal("a request needs exactly one operation");
  if (operation.operation === "subscription") throw new Refusal("subscriptions are not allowed");
  return operation;
}

interface RootField {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The fields of `Query` and `Mutation`, also those in fragments. */
function findRootFields(schema: GraphQLSchema, document: DocumentNode, variables: VariableValues): RootField[] {
  const found: RootField[] = [];
  const types = new TypeInfo(schema);
  const enter = (node: FieldNode): void => {
    const parent = types.getParentType();
    const field = types.getFieldDef();
    const isRoot = parent === schema.getQueryType() || parent === schema.getMutationType();
    if (!isRoot || field === null || field === undefined || field.name.startsWith("__")) return;
    found.push({ name: field.name, args: getArgumentValues(field, node, variables) });
  };
  visit(document, visitWithTypeInfo(types, { Field: enter }));
  return found;
}

async function checkRootField(name: string, args: RootField["args"], rules: ProjectRules): Promise<void> {
  if (name === "repository" && `${String(args["owner"])}/${String(args["name"])}` !== rules.project)
    throw new Refusal(`this run can only reach ${rules.project}`);
  if (name === "node" && !(await rules.isNodeOfProject(String(args["id"]))))
    throw new Refusal(`this run can only reach ${rules.project}`);
  if (name === "createPullRequest") await checkPullRequest(args["input"] as Readonly<Record<string, unknown>>, rules);
}

async function checkPullRequest(input: Readonly<Record<string, unknown>>, rules: ProjectRules): Promise<void> {
  const { nodeId } = await rules.readProject();
  for (const key of ["repositoryId", "headRepositoryId"])
    if (input[key] !== undefined && input[key] !== null && input[key] !== nodeId)
      throw new Refusal(`this run can only reach ${rules.project}`);
  requireTaskBranch(rules.withoutOwner(String(input["headRefName"])), rules.isTaskBranch);
  checkText(input["body"]);
}

/** The parent of a fork is another project. Without it, the project looks like no fork. */
function withoutParents(document: DocumentNode): DocumentNode {
  return visit(document, { Field: ({ name }) => (name.value === "parent" ? null : undefined) });
}
