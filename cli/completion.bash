# Completion of the sinew command for bash. Options come from the program's own help.
_sinew() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
  local commands="run check list info plot bench compare sweep view render draw schema help"
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$commands --version --help" -- "$word")
    return
  fi
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(sinew help "$command" 2>/dev/null | grep -oE -- '--[a-z-]+')" -- "$word")
    return
  fi
  case $command in
  help) mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word") ;;
  list)
    mapfile -t COMPREPLY < <(compgen -W "scenes objects shapes kinds solvers integrators orders gradients settings formats" \
      -- "$word")
    ;;
  run | check | info | bench | compare | sweep | view | render | draw)
    mapfile -t COMPREPLY < <(
      [[ $command != bench ]] || compgen -W "$(sinew bench --list 2>/dev/null | sed -nE 's/^  ([^ ]+).*/\1/p')" -- "$word"
      compgen -W "$(sinew list scenes 2>/dev/null | sed -nE 's/^  ([^ ]+).*/\1/p')" -- "$word"
      compgen -f -- "$word"
    )
    ;;
  *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}
complete -o filenames -F _sinew sinew
