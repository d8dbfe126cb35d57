import { Link } from "@tanstack/react-router";
import { Empty } from "../ui/state.tsx";
import { useTitle } from "./title.ts";

export function NotFound() {
  useTitle("Not found");
  return (
    <div className="page">
      <h1 className="h1">There is no page at this address</h1>
      <Empty title="Nothing is lost">
        The address may be mistyped. Go to the{" "}
        <Link className="link" to="/">
          morning report
        </Link>{" "}
        or to{" "}
        <Link className="link" to="/tasks">
          all tasks
        </Link>
        .
      </Empty>
    </div>
  );
}
