/**
 * A stand-in for `glab`, which Debian does not have. Like the real one it reads `GITLAB_HOST` and `GITLAB_TOKEN`, finds the
 * project in `git remote -v`, asks for its number, and then uses the number.
 */
export const FAKE_GLAB = `mkdir -p "$HOME/bin"; cat > "$HOME/bin/glab" <<'END'
#!/bin/sh
root=$GITLAB_HOST/api/v4
path=$(git remote -v | sed -n 's/^origin[[:space:]]\\([^ ]*\\) .*/\\1/p' | head -1 | sed "s|^$GITLAB_HOST/||; s|[.]git$||; s|/|%2F|g")
api() { method=$1; url=$root/$2; shift 2; curl -sS -X "$method" -H "PRIVATE-TOKEN: $GITLAB_TOKEN" -H "User-Agent: glab" "$url" "$@"; echo; }
id=$(api GET "projects/$path" | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
case "$1 $2" in
"mr create") api POST "projects/$id/merge_requests" -H "Content-Type: application/json" \\
  -d "{\\"title\\":\\"$3\\",\\"description\\":\\"$4\\",\\"source_branch\\":\\"\${5:-$(git branch --show-current)}\\",\\"target_branch\\":\\"main\\",\\"target_project_id\\":$id}" ;;
"mr list") api GET "projects/$id/merge_requests?state=opened" ;;
"mr merge") api PUT "projects/$id/merge_requests/$3/merge" ;;
"mr approve") api POST "projects/$id/merge_requests/$3/approve" ;;
"mr note") api POST "projects/$id/merge_requests/$3/notes" -d "body=$4" ;;
"issue view") api GET "projects/$path/issues/$3" ;;
"api "*) api "\${3:-GET}" "$2" ;;
esac
END
chmod +x "$HOME/bin/glab"; PATH=$HOME/bin:$PATH
`;
