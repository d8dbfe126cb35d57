/** A sentence of Nightshift in which `commands` stand in backticks. */
export function CodeText({ text }: { text: string }) {
  return (
    <span dir="auto" className="break">
      {text.split(/`([^`]+)`/).map((part, index) =>
        index % 2 === 1 ? (
          <code key={index} dir="ltr">
            {part}
          </code>
        ) : (
          part
        ),
      )}
    </span>
  );
}

/** The commands that stand in backticks in a sentence. */
export function listCommands(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].flatMap(([, command]) =>
    /^[a-z][\w-]* ./i.test(command ?? "") && command !== undefined ? [command] : [],
  );
}
