# SPDX-License-Identifier: GPL-3.0-or-later
# Reads the output of ctest --verbose around GoogleTest programs: "7: [       OK ] Room.Test (3 ms)".
# A program that fails without a failed test (a crash, a time limit) counts as one; one without tests counts as itself.
# Prints failures with their output, one line a program, and last 'N passed, N failed, N skipped'.
function finish(number, name, result, seconds,    bad) {
    bad = result !~ /Passed|Skipped/
    if (bad && failedIn[number] == 0) {
        failedIn[number] = 1
        printf "%s", tail[number]
        print "FAILED: " name ": " result
    }
    if (!bad && okIn[number] + failedIn[number] + skippedIn[number] == 0) {
        if (result !~ /Skipped/) okIn[number] = 1
        else { skippedIn[number] = 1; print "skipped: " name }
    }
    passed += okIn[number]; failed += failedIn[number]; skipped += skippedIn[number]
    printf "%-24s %4d passed %4d failed %4d skipped  %8s s\n", name, okIn[number], failedIn[number], skippedIn[number], seconds
}

match($0, /^[0-9]+: /) {
    number = substr($0, 1, RLENGTH - 2)
    line = substr($0, RLENGTH + 1)
    tail[number] = substr(tail[number] line "\n", length(tail[number]) > 6000 ? 3000 : 1)
    if (line ~ /^\[ RUN      \]/) output[number] = ""
    output[number] = output[number] line "\n"
    if (line ~ /^\[       OK \] .* \([0-9]+ ms\)$/) okIn[number]++
    if (line ~ /^\[  SKIPPED \] .* \([0-9]+ ms\)$/) {
        skippedIn[number]++
        split(line, words, " ")
        print "skipped: " words[4]
    }
    if (line ~ /^\[  FAILED  \] .* \([0-9]+ ms\)$/) {
        failedIn[number]++
        printf "%s", output[number]
    }
    next
}

/^ *[0-9]+\/[0-9]+ Test +#[0-9]+:/ {
    number = $0; sub(/^.*#/, "", number); sub(/:.*$/, "", number)
    rest = $0; sub(/^[^:]*: */, "", rest)
    name = rest; sub(/ .*$/, "", name)
    result = rest; sub(/^[^ ]+ *\.*\**/, "", result); sub(/ +[0-9.]+ sec.*$/, "", result); gsub(/^ +| +$/, "", result)
    seconds = rest; sub(/ sec.*$/, "", seconds); sub(/^.* /, "", seconds)
    finish(number, name, result, seconds)
}

END {
    if (passed + failed + skipped == 0) { print "no test ran"; failed = 1 }
    print passed + 0 " passed, " failed + 0 " failed, " skipped + 0 " skipped"
    exit failed > 0
}
